package upstream

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// DefaultEnv returns the environment a wrapped server gets when none is given: the
// variables of ours that a program needs to find its files, its terminal and its
// language, and no secret. Our other variables are not passed on.
func DefaultEnv() []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ",
		"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME",
	}
	if runtime.GOOS == "windows" {
		names = append(names,
			"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
			"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR")
	}
	env := []string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		// An exported shell function begins with "()": code, not a setting.
		if slices.Contains(names, name) && !strings.HasPrefix(value, "()") {
			env = append(env, name+"="+value)
		}
	}
	return env
}
