package check

import (
	"maps"
	"slices"
)

// The kinds of findings. They are what `# mcp-code-mode ignore:` names.
const (
	// What keeps a policy from loading.
	BrokenPolicy   = "broken_policy"    // OPA does not read, compile or type it
	DenialShape    = "denial_shape"     // a denial that would be refused when it is made
	LabelShape     = "label_shape"      // a label that would be refused when it is earned
	ValuesConflict = "values_conflict"  // a word that may have two values at once
	TypesDiffer    = "types_differ"     // a comparison of two types that are never alike
	BadPattern     = "bad_pattern"      // a pattern that does not compile
	NoSuchDocument = "no_such_document" // data that nothing defines
	TestDocument   = "test_document"    // data that only tests define
	RuleInTestFile = "rule_in_test_file"
	FamilyTwice    = "family_twice" // one package in two directories
	MockInRule     = "mock_in_rule" // `with` outside of tests
	DuplicateKey   = "duplicate_key"
	CasesFail      = "cases_fail"
	BadCases       = "bad_cases"
	MisplacedRule  = "misplaced_rule" // a rule or data that the dispatcher does not see

	// A denial that can vanish.
	DenialVanishes   = "denial_vanishes"
	MessageNoString  = "message_no_string"
	ComparesAbsent   = "compares_absent"
	NotOverAbsent    = "not_over_absent"
	UnequalAbsent    = "unequal_absent"
	UnequalAny       = "unequal_any"
	OneSidedBound    = "one_sided_bound"
	IteratesUnknown  = "iterates_unknown"
	EveryOfNone      = "every_of_none"
	HarmlessDefault  = "harmless_default"
	LoosePattern     = "loose_pattern"
	AlwaysFalse      = "always_false"
	UnreadRule       = "unread_rule"
	TooManyDenials   = "too_many_denials"
	HeavyRange       = "heavy_range"
	PrintLeft        = "print_left"
	NotRead          = "not_read"
	CodeDiffers      = "code_differs"
	ConfigInPolicy   = "config_in_policy"
	SchemaReplaced   = "schema_replaced"
	GuardMissing     = "guard_missing"
	GuardUnread      = "guard_unread"
	GrantsEverything = "grants_everything"
	DeniesEverything = "denies_everything"
	FailsOnPlainCall = "fails_on_plain_call"

	// Names that do not exist.
	NoSuchTool       = "no_such_tool"
	NoSuchServer     = "no_such_server"
	NoSuchArgument   = "no_such_argument"
	NoSuchAnnotation = "no_such_annotation"
	NoSuchLabel      = "no_such_label"
	NoSuchValue      = "no_such_value"
	MixedScripts     = "mixed_scripts"

	// About ignoring.
	IgnoreUnused   = "ignore_unused"
	IgnoreNoReason = "ignore_no_reason"
)

// kind says how grave findings of one kind are and why they matter.
type kind struct {
	severity Severity
	why      string
}

var kinds = map[string]kind{
	BrokenPolicy:   {Error, "a policy that OPA does not compile decides nothing, so no call could be made"},
	DenialShape:    {Error, "a denial of another shape is refused when it is made, and the model learns nothing from it"},
	LabelShape:     {Error, "a label of another shape is refused when it is earned, and its call with it"},
	ValuesConflict: {Error, "a rule with two values at once fails, or only one of the two is looked at"},
	TypesDiffer:    {Error, "values of different types are never equal and are ordered by type, so the comparison says nothing about the value"},
	BadPattern:     {Error, "a pattern that does not compile fails in every decision that comes to it"},
	NoSuchDocument: {Warning, "what reads a document that is not there is undefined, and an undefined denial denies nothing"},
	TestDocument:   {Error, "tests are left out when the policy is served, so the document is not there and the denial denies nothing"},
	RuleInTestFile: {Error, "files that end in _test.rego are left out when the policy is served, and the rule with them"},
	FamilyTwice:    {Error, "rules of the same name are alternatives, so a proof in one directory also counts for the denials of the other"},
	MockInRule:     {Warning, "`with` replaces what is decided about, so the rule decides about something else than the call"},
	DuplicateKey:   {Error, "of two equal keys the last one wins without a word"},
	CasesFail:      {Error, "the policy decides otherwise than the people who wrote its cases expect"},
	BadCases:       {Error, "cases that cannot be read are not tried"},
	MisplacedRule:  {Error, "nothing asks it, so what it denies is allowed"},

	DenialVanishes:   {Warning, "where a part of a denial is absent the denial is undefined, and stock OPA then denies nothing"},
	MessageNoString:  {Warning, "a denial whose message or code is not a string is not one that the model can read"},
	ComparesAbsent:   {Warning, "where the value is absent or of another type the comparison does not hold, and the denial is not made"},
	NotOverAbsent:    {Warning, "`not` does not cover an absent argument of a function: the whole rule is undefined then, and denies nothing"},
	UnequalAbsent:    {Warning, "where one side is absent `!=` is undefined, and the denial is not made"},
	UnequalAny:       {Warning, "`!=` with an element holds as soon as one element differs, even when another is equal"},
	OneSidedBound:    {Warning, "Rego orders values of all types (null < true < 1 < \"1\" < []), so a bound on one side holds for other types too"},
	IteratesUnknown:  {Warning, "a string, a number or an absent value has no elements, so nothing is found in it and the denial is not made"},
	EveryOfNone:      {Warning, "`every` holds for an empty list, which proves nothing"},
	HarmlessDefault:  {Warning, "a default that is harmless makes an argument that is absent harmless, whatever its tool does without it"},
	LoosePattern:     {Warning, "a pattern that is not anchored also matches in the middle of something else"},
	AlwaysFalse:      {Warning, "a rule that can never hold denies nothing"},
	UnreadRule:       {Warning, "a rule that nothing reads decides nothing: only the families' own words are asked"},
	TooManyDenials:   {Warning, "a decision holds 64 denials; with more the policy cannot decide"},
	HeavyRange:       {Warning, "a decision that needs so much memory or time ends as a refusal, and slows others down"},
	PrintLeft:        {Warning, "print is for tests: while serving it does nothing, and what it reads may be absent"},
	NotRead:          {Warning, "the file looks like a part of the policy, but is not read, so what it denies is allowed"},
	CodeDiffers:      {Warning, "METADATA tells people another code than programs get"},
	ConfigInPolicy:   {Warning, "the flags and the config file decide; the file serves `opa eval` only"},
	SchemaReplaced:   {Warning, "with another schema stock OPA does not find misspelt fields"},
	GuardMissing:     {Warning, "stock OPA checks less without it than is checked here"},
	GuardUnread:      {Warning, "what the installation configures has no effect when no rule reads it"},
	GrantsEverything: {Warning, "a grant for every call leaves all to the denials"},
	DeniesEverything: {Warning, "no call can ever go out"},
	FailsOnPlainCall: {Warning, "a call for which the policy fails is refused with policy_error"},

	NoSuchTool:       {Warning, "what is compared with a name that no tool has never holds"},
	NoSuchServer:     {Warning, "what is compared with a name that no server has never holds"},
	NoSuchArgument:   {Warning, "an argument that the tool does not have is always absent"},
	NoSuchAnnotation: {Warning, "an annotation that does not exist is always absent"},
	NoSuchLabel:      {Warning, "a label that nothing puts on a session is never there"},
	NoSuchValue:      {Warning, "the field never has this value"},
	MixedScripts:     {Warning, "letters that look alike are different: the text equals nothing that was typed on one keyboard"},

	IgnoreUnused:   {Warning, "what is ignored is gone, or is written otherwise"},
	IgnoreNoReason: {Warning, "whoever reads it next does not know why it may be ignored"},
}

// Kinds lists the codes of all kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Describe says how grave a kind is, and why it matters.
func Describe(code string) (Severity, string) { return kinds[code].severity, kinds[code].why }
