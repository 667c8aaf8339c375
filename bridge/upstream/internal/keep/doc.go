// Package keep is the part of package keeper that runs in a keeper: what this program
// does when it is executed as one.
//
// The package checks this when it is initialized. Packages are initialized in the order
// of their paths, each as soon as its imports are. This one imports only what every
// program imports, so it comes before nearly all packages of a large program. So a keeper
// needs only a fraction of the time and memory of a whole start.
package keep
