package engine

import "context"

// Check says what is wrong with a policy, as `opa check --strict` with its schemas and its
// capabilities does, and also what the engine asks beyond that: the entrypoints, and families
// that the dispatcher sees. The tests are checked as well. The error is a *LoadError.
func Check(ctx context.Context, src Source) error {
	// The policy must also compile without its tests, as it is served.
	if _, err := load(ctx, src, loadOptions{}); err != nil {
		return err
	}
	_, err := load(ctx, src, loadOptions{tests: true, print: true})
	return err
}
