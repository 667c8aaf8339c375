// Package engine answers one question about one tool call: may it go out?
//
// It is the only package that knows OPA. A [Request] goes in, a [Decision]
// comes out, and there is no third outcome: whatever goes wrong in between, an error,
// a timeout, a policy that answers nothing or nonsense, is a Decision that denies with
// the code [CodePolicyError]. The detail goes to the log, never to the model.
//
// # Policies
//
// A policy is a directory or a bundle of Rego v1 with two entrypoints,
// data.codemode.decision and data.codemode.visible. It is compiled once, strictly, against
// capabilities that hold nothing nondeterministic and nothing that reaches outside, so a
// decision depends on its input and the policy alone and can be replayed from the decision
// log. There are no builtins of ours: what works here works in stock OPA, and the other way round.
//
// # Words
//
//   - A call is one call of a tool, and a run is the execution of a program that makes calls.
//   - A rule is a CEL expression of the configuration. Package celrule evaluates it, and what it comes
//     to is a fact in the Request. A policy rule is a rule in Rego. Policy rules decide.
//   - A limit is a number that can be set; those of a Config the policy enforces. A bound is fixed
//     here. A deadline ends a decision.
package engine
