package celrule

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// looseSchema gives nothing a type, and strictSchema everything.
const (
	looseSchema  = `{"type": "object", "additionalProperties": true}`
	strictSchema = `{"type": "object", "properties": {
		"i": {"type": "integer"}, "j": {"type": "integer"}, "x": {"type": "number"}, "y": {"type": "number"}, "s": {"type": "string"},
		"ints": {"type": "array", "items": {"type": "integer"}}, "xs": {"type": "array", "items": {"type": "number"}}}}`
)

// verdict is what a rule came to: it holds, it does not, or nobody can say.
func verdict(t testing.TB, schema, expr, args string) string {
	t.Helper()
	switch ok, err := mustCompile(t, schema, expr).Eval(t.Context(), decode(t, args), engine.Tool{}, engine.Session{}); {
	case err != nil:
		return "error"
	case ok:
		return "holds"
	}
	return "does not"
}

type verdictCase struct{ schema, expr, args, want string }

func check(t *testing.T, cases []verdictCase) {
	t.Helper()
	for _, c := range cases {
		if got := verdict(t, c.schema, c.expr, c.args); got != c.want {
			t.Errorf("%s over %s: %s, want: %s", c.expr, c.args, got, c.want)
		}
	}
}

func TestNumbersCompareExactly(t *testing.T) {
	check(t, []verdictCase{
		// Past 2^53 an int is not rounded to compare with a double.
		{looseSchema, `args.any <= 9007199254740992.0`, `{"any": 9007199254740992}`, "holds"},
		{looseSchema, `args.any <= 9007199254740992.0`, `{"any": 9007199254740993}`, "does not"},
		{looseSchema, `args.any == 9007199254740992.0`, `{"any": 9007199254740993}`, "does not"},
		{looseSchema, `args.any < 9007199254740994.0`, `{"any": 9007199254740993}`, "holds"},
		{looseSchema, `9007199254740992.0 >= args.any`, `{"any": 9007199254740993}`, "does not"},
		{looseSchema, `args.any > -9007199254740992.0`, `{"any": -9007199254740993}`, "does not"},
		{looseSchema, `args.any in [9007199254740992.0]`, `{"any": 9007199254740993}`, "does not"},
		{looseSchema, `[9007199254740992.0] == args.any`, `{"any": [9007199254740993]}`, "does not"},
		{looseSchema, `args.any == {'n': 9007199254740992.0}`, `{"any": {"n": 9007199254740993}}`, "does not"},
		{looseSchema, `args.any < 9223372036854775807u`, `{"any": 9223372036854775807}`, "does not"},
		{looseSchema, `args.any < 18446744073709551615u`, `{"any": -1}`, "holds"},
		{looseSchema, `args.any == 18446744073709551615u`, `{"any": 18446744073709551615}`, "error"}, // no int, and too long for a double
		{strictSchema, `args.i <= 9007199254740992.0`, `{"i": 9007199254740993}`, "does not"},
		{strictSchema, `args.i == 9007199254740993`, `{"i": 9007199254740993}`, "holds"},
		{strictSchema, `args.i in [9007199254740992]`, `{"i": 9007199254740993}`, "does not"},
		{strictSchema, `args.x < 9007199254740993`, `{"x": 9007199254740992}`, "holds"},
		{strictSchema, `args.x >= args.i`, `{"x": 9007199254740992, "i": 9007199254740993}`, "does not"},
		{strictSchema, `args.xs == [1.0, 0.5]`, `{"xs": [1, 0.5]}`, "holds"},

		// A decimal is not rounded to compare with another.
		{strictSchema, `args.x == 0.1`, `{"x": 0.1}`, "holds"},
		{strictSchema, `args.x == 0.1`, `{"x": 10e-2}`, "holds"},
		{strictSchema, `args.x == 0.1`, `{"x": 0.10000}`, "holds"},
		{strictSchema, `args.x <= 0.1`, `{"x": 0.10000000000000000001}`, "error"},
		{strictSchema, `args.x != 0.1`, `{"x": 0.1000000000000000055511151231257827}`, "error"},
		{looseSchema, `args.any <= 0.1`, `{"any": 0.10000000000000000001}`, "error"},
		{strictSchema, `args.x != 9007199254740992.0`, `{"x": 9007199254740993}`, "error"},
		{strictSchema, `args.x != 0.0`, `{"x": 1e-400}`, "error"},
		{strictSchema, `args.x != 0.0`, `{"x": 1e-99999999999999999999}`, "error"},
		{strictSchema, `args.x != 0.0`, `{"x": 1e99999999999999999999}`, "error"},
		{strictSchema, `args.x == 0.0`, `{"x": -0.0}`, "holds"},
		{strictSchema, `args.x == 0.0`, `{"x": -0e5}`, "holds"},
		{strictSchema, `args.x == 5e-324`, `{"x": 5e-324}`, "holds"},
		{strictSchema, `args.x != 1e-320`, `{"x": 1.0000000001e-320}`, "error"},

		// Integers that no int has room for.
		{strictSchema, `args.i != 0`, `{"i": 9223372036854775808}`, "error"},
		{looseSchema, `args.any != 0`, `{"any": 9223372036854775809}`, "error"},
		{looseSchema, `args.any > 0`, `{"any": 1e30}`, "holds"},
		{looseSchema, `args.any in [1]`, `{"any": 123456789012345678901234567890}`, "error"},
	})
}

func TestArithmeticIsExactOrAnError(t *testing.T) {
	check(t, []verdictCase{
		{strictSchema, `args.x + args.y == 0.3`, `{"x": 0.1, "y": 0.2}`, "holds"},
		{strictSchema, `args.x + args.y <= 0.3`, `{"x": 0.1, "y": 0.2}`, "holds"},
		{strictSchema, `args.x * 3.0 == 59.97`, `{"x": 19.99}`, "holds"},
		{strictSchema, `args.x - args.y == 0.0`, `{"x": 1e300, "y": 1}`, "error"},
		{strictSchema, `args.x + 1.0 == 9007199254740992.0`, `{"x": 9007199254740992}`, "error"},
		{strictSchema, `args.x * args.x > 0.0`, `{"x": 1e300}`, "error"},
		{strictSchema, `args.x * args.x == 0.0`, `{"x": 1e-300}`, "error"},
		{strictSchema, `args.x / 4.0 == 0.25`, `{"x": 1}`, "holds"},
		{strictSchema, `args.x / 3.0 < 0.4`, `{"x": 1}`, "error"},
		{strictSchema, `args.x / args.y != 1.0`, `{"x": 0, "y": 0}`, "error"},
		{strictSchema, `!(args.x / args.y > 1.0)`, `{"x": 1, "y": 0}`, "error"},
		{strictSchema, `-args.x == -0.5`, `{"x": 0.5}`, "holds"},
		{strictSchema, `args.i / args.j < 4`, `{"i": 6, "j": 2}`, "holds"},
		{strictSchema, `args.i / args.j < 4`, `{"i": 7, "j": 2}`, "error"}, // 3, in plain CEL
		{strictSchema, `args.i / args.j < 4`, `{"i": 7, "j": 0}`, "error"},
		{strictSchema, `args.i / args.j < 4`, `{"i": -9223372036854775808, "j": -1}`, "error"},
		{strictSchema, `args.i % args.j == 1`, `{"i": 7, "j": 2}`, "holds"},
		{strictSchema, `args.i * args.j > 0`, `{"i": 4611686018427387904, "j": 2}`, "error"},
		{strictSchema, `args.i + args.j > 0`, `{"i": 9223372036854775807, "j": 1}`, "error"},
		{strictSchema, `-args.i > 0`, `{"i": -9223372036854775808}`, "error"},
		{looseSchema, `args.any * 2 <= 11`, `{"any": 5.5}`, "holds"},
		{looseSchema, `args.any * 0.5 <= 2.5`, `{"any": 5}`, "holds"},
		{looseSchema, `args.any + 0.5 > 0.0`, `{"any": 9007199254740993}`, "error"},
		{looseSchema, `args.any / 2 <= 3`, `{"any": 7}`, "error"},
		{looseSchema, `args.any + 1 > 0`, `{"any": "1"}`, "error"},
		{looseSchema, `args.any + args.any == 'xx'`, `{"any": "x"}`, "holds"},
		{looseSchema, `args.any + 'x' != 'yx'`, `{"any": 5}`, "error"},
		{looseSchema, `args.any - 1 > 0`, `{"any": null}`, "error"},
		{looseSchema, `args.any * 2 > 0`, `{"any": [1]}`, "error"},
		{looseSchema, `-args.any < 0`, `{"any": true}`, "error"},
	})
}

func TestConversionsAreExactOrAnError(t *testing.T) {
	check(t, []verdictCase{
		{strictSchema, `int(args.x) <= 5`, `{"x": 5.0}`, "holds"},
		{strictSchema, `int(args.x) <= 5`, `{"x": 5.9}`, "error"},
		{strictSchema, `int(args.x) <= 5`, `{"x": -1e300}`, "error"},
		{strictSchema, `int(args.x) == 9223372036854775807`, `{"x": 9223372036854775808}`, "error"},
		{strictSchema, `uint(args.x) == 5u`, `{"x": 5}`, "holds"},
		{strictSchema, `uint(args.x) == 0u`, `{"x": -0.5}`, "error"},
		{strictSchema, `uint(args.i) != 0u`, `{"i": -1}`, "error"},
		{strictSchema, `double(args.i) <= 9007199254740992.0`, `{"i": 9007199254740992}`, "holds"},
		{strictSchema, `double(args.i) <= 9007199254740992.0`, `{"i": 9007199254740993}`, "error"},
		{looseSchema, `double(args.any) <= 9007199254740992.0`, `{"any": 9007199254740993}`, "error"},
		{strictSchema, `double(args.s) <= 0.1`, `{"s": "0.1"}`, "holds"},
		{strictSchema, `double(args.s) <= 0.1`, `{"s": "0.10000000000000000001"}`, "error"},
		{strictSchema, `!(double(args.s) > 5.0)`, `{"s": "NaN"}`, "error"},
		{strictSchema, `double(args.s) > 5.0`, `{"s": "Infinity"}`, "error"},
		{strictSchema, `double(args.s) > 0.0`, `{"s": "0x1p-2"}`, "error"},
		{strictSchema, `double(args.s) > 0.0`, `{"s": "5."}`, "error"},
		{strictSchema, `int(args.s) == 5`, `{"s": "5"}`, "holds"},
		{strictSchema, `int(args.s) == 5`, `{"s": "5.0"}`, "error"},
		{strictSchema, `int(args.s) > 5`, `{"s": "9223372036854775808"}`, "error"},
		{strictSchema, `string(args.x) == '0.1'`, `{"x": 0.10}`, "holds"},
		{looseSchema, `string(args.any) != 'delete'`, `{"any": ["delete"]}`, "error"},
		{looseSchema, `string(args.any) != 'null'`, `{"any": null}`, "error"},
		{looseSchema, `int(args.any) >= 0`, `{"any": true}`, "error"},
		{looseSchema, `int(args.any) >= 0`, `{"any": null}`, "error"},
		{looseSchema, `bool(args.any) || true`, `{"any": "yes"}`, "error"},

		// Times are kept to the nanosecond.
		{strictSchema, `timestamp(args.s) <= timestamp('2026-01-01T00:00:00Z')`, `{"s": "2026-01-01T00:00:00.000000000Z"}`, "holds"},
		{strictSchema, `timestamp(args.s) <= timestamp('2026-01-01T00:00:00Z')`, `{"s": "2026-01-01T00:00:00.000000001Z"}`, "does not"},
		{strictSchema, `timestamp(args.s) <= timestamp('2026-01-01T00:00:00Z')`, `{"s": "2026-01-01T00:00:00.0000000001Z"}`, "error"},
		{strictSchema, `timestamp(args.s) <= timestamp('2026-01-01T00:00:00Z')`, `{"s": "2026-01-01"}`, "error"},
		{strictSchema, `timestamp(args.s) == timestamp('2026-01-01T00:00:00Z')`, `{"s": "2026-01-01T01:00:00+01:00"}`, "holds"},
		{strictSchema, `int(timestamp(args.s)) <= 0`, `{"s": "1970-01-01T00:00:00Z"}`, "holds"},
		{strictSchema, `int(timestamp(args.s)) <= 0`, `{"s": "1970-01-01T00:00:00.5Z"}`, "error"},
		{strictSchema, `timestamp(args.i) <= timestamp(0)`, `{"i": 9223372036854775807}`, "error"},
		{looseSchema, `timestamp(args.any) <= timestamp(0)`, `{"any": 0.5}`, "error"},
		{strictSchema, `duration(args.s) <= duration('1h')`, `{"s": "1.0h"}`, "holds"},
		{strictSchema, `duration(args.s) <= duration('1h')`, `{"s": "3600.0000000001s"}`, "error"},
		{strictSchema, `duration(args.s) == duration('0s')`, `{"s": "0.5ns"}`, "error"},
		{strictSchema, `duration(args.s) == duration('1500us')`, `{"s": "1.5ms"}`, "holds"},
		{strictSchema, `timestamp('9999-12-31T23:59:59Z') + duration(args.s) > timestamp(0)`, `{"s": "1h"}`, "error"},
	})
}

// Whatever two numbers are, a rule about them says what is so, or nothing. About numbers of up
// to 15 digits it says what is so.
func TestRulesSayWhatIsSoOfNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := randomNumber(random)
		b := a
		if random.IntN(4) > 0 {
			b = randomNumber(random)
		}
		checkNumbers(t, a, b)
	}
}

func FuzzRulesSayWhatIsSoOfNumbers(f *testing.F) {
	f.Add("9007199254740993", "9007199254740992.0")
	f.Add("0.1", "0.10000000000000000001")
	f.Add("-0", "0e400")
	f.Add("1e-400", "0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !isNumber(a) || !isNumber(b) || len(a)+len(b) > 400 || farExponent.MatchString(a+" "+b) {
			t.Skip()
		}
		checkNumbers(t, a, b)
	})
}

// farExponent is what big.Rat would need megabytes for.
var farExponent = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{3}`)

// randomNumber is often near a bound of ints or doubles, and often has many digits.
func randomNumber(random *rand.Rand) string {
	near := []string{"0", "1", "9007199254740992", "9223372036854775807", "18446744073709551615", "4503599627370496"}
	n, _ := new(big.Int).SetString(near[random.IntN(len(near))], 10)
	n.Add(n, big.NewInt(random.Int64N(7)-3))
	if random.IntN(2) == 0 {
		n.Neg(n)
	}
	text := n.String()
	switch random.IntN(4) {
	case 0:
		text += "." + strings.Repeat("0", random.IntN(3)) + strconv.Itoa(random.IntN(100))
	case 1:
		text += "e" + strconv.Itoa(random.IntN(40)-20)
	case 2:
		text += ".0"
	}
	return text
}

var numberRules = map[string]func(x, y *big.Rat) bool{
	`args.a == args.b`:           func(x, y *big.Rat) bool { return x.Cmp(y) == 0 },
	`args.a != args.b`:           func(x, y *big.Rat) bool { return x.Cmp(y) != 0 },
	`args.a < args.b`:            func(x, y *big.Rat) bool { return x.Cmp(y) < 0 },
	`!(args.a <= args.b)`:        func(x, y *big.Rat) bool { return x.Cmp(y) > 0 },
	`args.a in [args.b]`:         func(x, y *big.Rat) bool { return x.Cmp(y) == 0 },
	`[args.a, 1] == [args.b, 1]`: func(x, y *big.Rat) bool { return x.Cmp(y) == 0 },
	`args.a + args.b > args.b`:   func(x, y *big.Rat) bool { return x.Sign() > 0 },
	`args.a - args.b < args.a`:   func(x, y *big.Rat) bool { return y.Sign() > 0 },
	`args.a * args.b > 0`:        func(x, y *big.Rat) bool { return x.Sign()*y.Sign() > 0 },
	`args.a / args.b < 0`:        func(x, y *big.Rat) bool { return x.Sign()*y.Sign() < 0 },
}

func checkNumbers(t *testing.T, a, b string) {
	t.Helper()
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	args := map[string]any{"a": json.Number(a), "b": json.Number(b)}
	for expr, want := range numberRules {
		for schema, rule := range compiledNumberRules()[expr] {
			ok, err := rule.Eval(t.Context(), args, engine.Tool{}, engine.Session{})
			if err == nil && ok != want(x, y) {
				t.Errorf("%s with %s and %s, over %s: %v", expr, a, b, schema, ok)
			}
			if err != nil && short(a) && short(b) && !strings.ContainsAny(expr, "+-*/") {
				t.Errorf("%s with %s and %s, over %s: %v", expr, a, b, schema, err)
			}
		}
	}
}

func short(n string) bool {
	d := parseDecimal(n)
	return len(strings.TrimPrefix(d.digits, "-")) <= 15 && -250 < d.exponent && d.exponent < 250
}

// compiledNumberRules has every rule over values without a type, and over numbers.
var compiledNumberRules = sync.OnceValue(func() map[string]map[string]*Rule {
	compiled := map[string]map[string]*Rule{}
	for expr := range numberRules {
		compiled[expr] = map[string]*Rule{}
		for _, schema := range []string{looseSchema, `{"properties": {"a": {"type": "number"}, "b": {"type": "number"}}}`} {
			rule, err := Compile(expr, json.RawMessage(schema))
			if err != nil {
				panic(err)
			}
			compiled[expr][schema] = rule
		}
	}
	return compiled
})
