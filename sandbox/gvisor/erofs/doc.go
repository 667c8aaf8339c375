// Package erofs writes EROFS images: the read-only, uncompressed file system a
// gVisor kernel can map straight from one file.
//
// A sandbox whose root is such an image needs no file server process and no
// access to any directory of the host. One read-only descriptor is all that it has of
// the host's file system. All sandboxes share the image's pages in the page cache.
//
// Only what a CPython tree needs is written: directories, regular files and
// symbolic links, all owned by root, uncompressed and block-aligned. The format
// is https://docs.kernel.org/filesystems/erofs.html, "flat plain" data layout
// with compact inodes. The same tree gives the same bytes every time.
package erofs
