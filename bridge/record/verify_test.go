package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// written returns the lines that logs wrote, one after the other in turn, and their heads.
func written(t *testing.T, logs, each int) (all []string, heads []Head) {
	t.Helper()
	var b bytes.Buffer
	for range logs {
		log := New(&b)
		for range each {
			if err := log.Write(entry()); err != nil {
				t.Fatal(err)
			}
		}
		head, ok := log.Head()
		if !ok {
			t.Fatal("a log that wrote has no head")
		}
		heads = append(heads, head)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range each { // as processes that share a file do
		for n := range logs {
			all = append(all, lines[n*each+i])
		}
	}
	return all, heads
}

func verify(t *testing.T, v *Verifier, files ...[]string) []string {
	t.Helper()
	for i, lines := range files {
		text := strings.Join(lines, "\n") + "\n"
		if err := v.Add(fmt.Sprintf("f%d", i), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	findings, _ := v.Findings()
	return findings
}

func TestVerifyFindsWhatWasDoneToALog(t *testing.T) {
	lines, heads := written(t, 2, 5)
	edit := func(line string) string { return strings.Replace(line, `"allow":true`, `"allow":false`, 1) }
	without := func(i, j int) []string { return slices.Delete(slices.Clone(lines), i, j) }
	with := func(i int, line string) []string {
		changed := slices.Clone(lines)
		changed[i] = line
		return changed
	}
	swapped := slices.Clone(lines)
	swapped[2], swapped[4] = swapped[4], swapped[2]
	event, chain, _ := strings.Cut(lines[9], `,"chain"`)
	relinked := edit(event) + `,"chain"` + chain
	for name, c := range map[string]struct {
		files [][]string
		heads []Head
		want  string // "" means nothing is wrong
	}{
		"as written":              {[][]string{lines}, heads, ""},
		"without a head":          {[][]string{lines}, nil, ""},
		"in two files, any order": {[][]string{lines[5:], lines[:5]}, heads, ""},
		"altered":                 {[][]string{with(4, edit(lines[4]))}, nil, "altered"},
		"a line missing":          {[][]string{without(4, 5)}, nil, "missing"},
		"the start missing":       {[][]string{without(0, 1)}, nil, "begins with line 2"},
		"a whole file missing":    {[][]string{lines[:3], lines[7:]}, nil, "missing"},
		"reordered":               {[][]string{swapped}, nil, "reordered"},
		"repeated":                {[][]string{append(slices.Clone(lines), lines[3])}, nil, "repeated"},
		"the tail cut":            {[][]string{lines[:8]}, heads, "the end was cut off"},
		"the last line altered":   {[][]string{with(9, relinked)}, heads, "published head"},
		"a chain taken out":       {[][]string{{lines[0], lines[2], lines[4], lines[6], lines[8]}}, heads, "is missing"},
		"a line of no chain":      {[][]string{append(slices.Clone(lines), `{"decision_id":"x"}`)}, nil, "in no chain"},
		"the links altered":       {[][]string{with(3, strings.Replace(lines[3], `"seq":2`, `"seq":7`, 1))}, nil, "missing"},
		"much too long":           {[][]string{append(slices.Clone(lines), strings.Repeat("x", MaxLine+2))}, nil, "longer than"},
		"the rest of a torn one":  {[][]string{slices.Insert(slices.Clone(lines), 3, lines[3][:40])}, heads, ""},
	} {
		t.Run(name, func(t *testing.T) {
			findings := verify(t, &Verifier{Heads: c.heads}, c.files...)
			switch {
			case c.want == "" && len(findings) > 0:
				t.Errorf("found %q", findings)
			case c.want != "" && !strings.Contains(strings.Join(findings, "\n"), c.want):
				t.Errorf("found %q, want %q", findings, c.want)
			}
		})
	}
}

func TestALaterFileIsVerifiedWithTheHeadsOfEarlierOnes(t *testing.T) {
	lines, _ := written(t, 2, 5)
	old := &Verifier{}
	if findings := verify(t, old, lines[:5]); len(findings) > 0 {
		t.Fatal(findings)
	}
	heads := old.Tips()
	for _, h := range heads {
		if again, err := ParseHead(h.String()); err != nil || again != h {
			t.Errorf("%v is read as %v, %v", h, again, err)
		}
	}
	if findings := verify(t, &Verifier{After: heads}, lines[5:]); len(findings) > 0 {
		t.Error(findings)
	}
	heads[0].SHA256 = strings.Repeat("0", 64)
	if findings := verify(t, &Verifier{After: heads}, lines[5:]); len(findings) != 1 {
		t.Error(findings)
	}
}

func TestHeadsThatAreNoneAreRefused(t *testing.T) {
	_, heads := written(t, 1, 1)
	good := heads[0].String()
	for _, text := range []string{"", "x", good + " ", " " + good, good[:len(good)-1], strings.Replace(good, " 1 ", " 0 ", 1), strings.Replace(good, " 1 ", " 01 ", 1), strings.ToUpper(good)} {
		if h, err := ParseHead(text); err == nil {
			t.Errorf("%q is read as %v", text, h)
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	v := &Verifier{}
	if err := v.Add("f", strings.NewReader(strings.Repeat("{}\n", 1000))); err != nil {
		t.Fatal(err)
	}
	if list, more := v.Findings(); len(list) != MaxFindings || more != 1000-MaxFindings {
		t.Errorf("%d findings and %d more", len(list), more)
	}
}

// FuzzVerify: whatever a file holds, it is read to its end, and what is in a chain is only
// what links wrote.
func FuzzVerify(f *testing.F) {
	var b bytes.Buffer
	log := New(&b)
	for range 3 {
		if err := log.Write(entry()); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"a":1,"chain":"` + "\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := &Verifier{}
		if err := v.Add("f", bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		v.Findings()
		for _, h := range v.Tips() {
			if again, err := ParseHead(h.String()); err != nil || again != h {
				t.Errorf("%v is read as %v, %v", h, again, err)
			}
		}
	})
}
