// Package check finds mistakes in a policy that OPA's compiler does not know of: denials that
// can vanish, names that exist nowhere, guards that were taken away.
//
// A policy rule is undefined when anything it reads is absent, and an undefined denial denies
// nothing. So the package asks of every expression what it means for a call: where it must hold
// for a denial to be made, it must not be undefined, and where it proves that a call is
// harmless, it must not hold by accident. It reads the policy after OPA has resolved the names
// in it, and knows types from the schemas.
package check
