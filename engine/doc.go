// Package engine answers one question about one tool call: may it go out?
//
// It is the only package that knows OPA. A [Request] goes in, a [Decision]
// comes out, and there is no third outcome: whatever goes wrong in between, an error,
// a timeout, a policy that answers nothing or nonsense, is a Decision that denies with
// the code [CodePolicyError]. The detail is Decision.Problem, for the operator and never for the model.
//
// # Policies
//
// A policy is a directory or a bundle of Rego v1 with two entrypoints,
// data.codemode.decision and data.codemode.visible. It is compiled once, strictly, against
// capabilities that hold nothing nondeterministic and nothing that reaches outside, so a
// decision depends on its input and the policy alone and can be replayed from the decision
// log. There are no builtins of ours, so policies work in the same way here and in stock OPA.
//
// # Words
//
//   - A call is one call of a tool, and a run is the execution of a program that makes calls.
//   - A rule is a CEL expression of the configuration. Package celrule evaluates it, and its result
//     is a fact in the Request. A policy rule is a rule in Rego. Policy rules decide.
//   - A limit is a number that can be set; the policy enforces the limits of a Config. A bound is
//     a fixed number in this package. A deadline ends a decision.
package engine
