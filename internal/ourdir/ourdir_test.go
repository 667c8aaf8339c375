//go:build unix

package ourdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const stranger = 4242

// A scene is a shared directory, sticky as /tmp is, and what lies in it.
type scene struct {
	t   *testing.T
	dir string
}

func newScene(t *testing.T) scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{t, filepath.Join(dir, "shared")}
	s.must(os.Mkdir(s.dir, 0o700), os.Chmod(s.dir, 0o777|fs.ModeSticky))
	return s
}

func (s scene) must(errs ...error) {
	s.t.Helper()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

func (s scene) at(name ...string) string { return filepath.Join(append([]string{s.dir}, name...)...) }

// give makes something a stranger's.
func (s scene) give(path string) {
	s.t.Helper()
	if os.Geteuid() != 0 {
		s.t.Skip("needs root to be somebody else")
	}
	s.must(os.Lchown(path, stranger, stranger))
}

func TestMakeMakesWhatIsMissingForUsAlone(t *testing.T) {
	s := newScene(t)
	for range 2 {
		s.must(Make(s.at("a", "b", "c"), 0o755))
	}
	for name, want := range map[string]fs.FileMode{"a": 0o700, "a/b": 0o700, "a/b/c": 0o755} {
		info, err := os.Lstat(s.at(name))
		if err != nil || info.Mode().Perm()&^want != 0 || !Owned(info) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestMakeRefusesWhatItWouldNotHaveMade(t *testing.T) {
	for name, test := range map[string]struct {
		lay  func(s scene)
		mode fs.FileMode
		want string
	}{
		"a file":               {func(s scene) { s.must(os.WriteFile(s.at("x"), nil, 0o600)) }, 0o700, "not a directory"},
		"a pipe":               {func(s scene) { s.must(syscall.Mkfifo(s.at("x"), 0o600)) }, 0o700, "not a directory"},
		"a link":               {func(s scene) { s.must(os.Symlink(t.TempDir(), s.at("x"))) }, 0o700, "is a link"},
		"a link to nothing":    {func(s scene) { s.must(os.Symlink("absent", s.at("x"))) }, 0o700, "is a link"},
		"a link to itself":     {func(s scene) { s.must(os.Symlink("x", s.at("x"))) }, 0o700, "is a link"},
		"written by everybody": {func(s scene) { s.must(os.Mkdir(s.at("x"), 0o700), os.Chmod(s.at("x"), 0o777)) }, 0o755, "written by others"},
		"written by a group":   {func(s scene) { s.must(os.Mkdir(s.at("x"), 0o700), os.Chmod(s.at("x"), 0o770)) }, 0o755, "written by others"},
		"entered by others":    {func(s scene) { s.must(os.Mkdir(s.at("x"), 0o700), os.Chmod(s.at("x"), 0o711)) }, 0o700, "entered by others"},
		"a stranger's":         {func(s scene) { s.must(os.Mkdir(s.at("x"), 0o700)); s.give(s.at("x")) }, 0o700, "belongs to user 4242"},
		"a stranger's link":    {func(s scene) { s.must(os.Symlink(t.TempDir(), s.at("x"))); s.give(s.at("x")) }, 0o700, "belongs to user 4242"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.t = t
			test.lay(s)
			err := Make(s.at("x"), test.mode)
			var refused *Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) || refused.Hint() == "" || refused.Path != s.at("x") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestMakeAcceptsWhatOthersMayOnlyReadIfItsModeDoes(t *testing.T) {
	s := newScene(t)
	s.must(os.Mkdir(s.at("x"), 0o700), os.Chmod(s.at("x"), 0o755))
	s.must(Make(s.at("x"), 0o755))
	if err := Make(s.at("x"), 0o700); err == nil {
		t.Error("accepted as one for us alone")
	}
}

// Links of ours and of root are how systems are laid out: /home, /var/run.
func TestTheWayMayLeadOverLinksOfOurs(t *testing.T) {
	s := newScene(t)
	s.must(os.MkdirAll(s.at("real", "deep"), 0o700),
		os.Symlink(s.at("real"), s.at("absolute")), os.Symlink("absolute/deep/..", s.at("relative")))
	s.must(Make(s.at("relative", "made"), 0o700), Follow(s.at("absolute", "file")))
	if _, err := os.Lstat(s.at("real", "made")); err != nil {
		t.Error(err)
	}
}

func TestTheWayNeverLeadsOverWhatAStrangerLaid(t *testing.T) {
	s := newScene(t)
	ours := t.TempDir()
	s.must(os.Mkdir(s.at("dir"), 0o755), os.Symlink(ours, s.at("link")), os.Symlink("link", s.at("to link")))
	s.give(s.at("dir"))
	s.give(s.at("link"))
	for _, way := range []string{"dir", "link", "to link"} {
		for what, err := range map[string]error{"Make": Make(s.at(way, "x"), 0o700), "Follow": Follow(s.at(way, "x"))} {
			if refused := (*Error)(nil); !errors.As(err, &refused) || refused.Hint() == "" {
				t.Errorf("%s over %s: %v", what, way, err)
			}
		}
	}
	for _, dir := range []string{ours, s.at("dir")} {
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("made %v in %s", entries, dir)
		}
	}
}

func TestAWayThatGoesRoundEnds(t *testing.T) {
	s := newScene(t)
	s.must(os.Symlink("b", s.at("a")), os.Symlink("a", s.at("b")))
	if err := Follow(s.at("a", "x")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Follow: %v", err)
	}
	if err := Make(s.at("a", "x"), 0o700); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Make: %v", err)
	}
	if err := Follow(s.at("absent", "x")); err != nil {
		t.Errorf("where nothing is: %v", err)
	}
}

func TestOpenRefusesFilesThatOthersCouldHaveWritten(t *testing.T) {
	s := newScene(t)
	s.must(os.WriteFile(s.at("ours"), []byte("text"), 0o600),
		os.WriteFile(s.at("open"), nil, 0o600), os.Chmod(s.at("open"), 0o620),
		os.Symlink("ours", s.at("link")), syscall.Mkfifo(s.at("pipe"), 0o600), os.Mkdir(s.at("dir"), 0o700))
	f, err := Open(s.at("ours"))
	s.must(err)
	s.must(f.Close())
	bad := []string{"open", "link", "pipe", "dir", "absent"}
	if os.Geteuid() == 0 {
		s.must(os.WriteFile(s.at("his"), nil, 0o600))
		s.give(s.at("his"))
		bad = append(bad, "his")
	}
	for _, name := range bad {
		if f, err := Open(s.at(name)); err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
	}
}
