// Package celrule compiles the rules of the configuration, CEL expressions over the arguments
// of one tool, and evaluates them for one call.
//
// It is the only package that knows CEL. Types come from the tool's JSON Schema, so a rule that
// contradicts them stops startup. The result of a rule for a call is a fact in the
// [engine.Request]; the policy decides.
package celrule
