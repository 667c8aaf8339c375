package engine

// Codes of the built-in pack, in the order in which a refusal names them
// (the table of the documentation). A policy may add its own.
const (
	CodeToolNotAllowed    = "tool_not_allowed"
	CodeArgumentsTooLarge = "arguments_too_large"
	CodeArgumentsInvalid  = "arguments_invalid"
	CodeRuleNotMet        = "rule_not_met"
	CodeBudgetExhausted   = "budget_exhausted"
	CodePrivateData       = "private_data"

	// CodePolicyError is the code of a call that was refused because no policy
	// answered properly. It comes before all others.
	CodePolicyError = "policy_error"
)

// policyErrorText is all the model learns when no policy answered.
const policyErrorText = "the policy could not decide about this call, so it is refused; the operator's log says why"

// Decision is the answer to a Request. Its zero value denies.
type Decision struct {
	Allow   bool     `json:"allow"`   // the call may go out
	Denials []Denial `json:"denials"` // why not, most telling first; empty exactly when Allow
	Effects Effects  `json:"effects"` // empty unless Allow

	// Revision names what decided: the bundle's own revision, if it has one, and a hash
	// over every policy rule and every piece of data. It does not say which policy rules
	// led to the decision: to trace that takes a quarter more time. Eval does it.
	Revision string `json:"revision"`

	// Problem is why no policy answered, for the operator. It may hold parts of the arguments.
	Problem string `json:"-"`
}

// MarshalJSON writes empty lists where Go has nil.
func (d Decision) MarshalJSON() ([]byte, error) {
	type fields Decision // without this method
	f := fields(d)
	f.Denials = emptyNotNil(f.Denials)
	f.Effects.LabelsAdd = emptyNotNil(f.Effects.LabelsAdd)
	return encode(f)
}

// Denial is one reason not to allow a call. Both parts are written for the model.
type Denial struct {
	Code    string `json:"code"`    // [a-z_]{1,64}
	Message string `json:"message"` // at most 500 characters
}

// Effects are what an allowed call changes.
type Effects struct {
	LabelsAdd []string `json:"labels_add"` // sorted; they are put on the session before the call goes out
}

// refuse is the decision when the policy gave no valid one.
func refuse(revision string) Decision {
	return Decision{
		Denials:  []Denial{{Code: CodePolicyError, Message: policyErrorText}},
		Revision: revision,
	}
}
