// Package keep is a keeper's own part of package keeper: what this program does when
// it is executed as one.
//
// That is found out when the package is initialized. Packages are initialized in the
// order of their paths, each as soon as what it imports is: with no other imports
// than every program has, this one comes before nearly all of a large program, and a
// keeper needs a fraction of the time and memory that its start would take.
package keep
