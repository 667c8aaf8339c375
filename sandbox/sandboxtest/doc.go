// Package sandboxtest holds what tests of sandboxes share: Conformance, the
// promises every driver must keep, each as a named subtest; and Process, a
// driver without isolation for tests of what is built on sandboxes.
package sandboxtest
