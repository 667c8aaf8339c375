package celrule

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A number in a rule is an int or a double. A double stands for the shortest decimal that is read
// as that double: 0.1 is one tenth. A decimal with more digits is not rounded. It is an error
// wherever it occurs: in the arguments, in the rule itself, or as the result of arithmetic. Up to
// 15 digits always fit.

// integer is the number as an int, exactly or not at all.
func integer(x any) (any, error) {
	n, ok := x.(json.Number)
	if !ok || !isNumber(string(n)) {
		return nil, fmt.Errorf("the schema promises an integer, the value is %s", jsonKind(x))
	}
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return types.Int(i), nil
	}
	d := parseDecimal(string(n))
	if !d.integral() {
		return nil, errors.New("the schema promises an integer, the value has a fraction")
	}
	if d.exponent < 20 { // the digits have no zeros at their end, so with 20 more it is out of range
		if i, err := strconv.ParseInt(d.digits+strings.Repeat("0", d.exponent), 10, 64); err == nil {
			return types.Int(i), nil
		}
	}
	return nil, errors.New("the number is out of range for an integer")
}

// double is the number as a double, exactly or not at all.
func double(x any) (any, error) {
	n, ok := x.(json.Number)
	if !ok || !isNumber(string(n)) {
		return nil, fmt.Errorf("the schema promises a number, the value is %s", jsonKind(x))
	}
	f, err := parseDouble(string(n))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// parseDouble reads a number as JSON writes them, or as CEL does, which allows ".5".
func parseDouble(text string) (types.Double, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, errors.New("the number is out of range for a double")
	}
	if parseDecimal(text) != parseDecimal(shortest(f)) {
		return 0, fmt.Errorf("the number has more digits than a double keeps, which would make it %s", shortest(f))
	}
	return types.Double(f), nil
}

func shortest(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// decimal is digits × 10^exponent. The digits have a sign where it is negative, and no zeros at
// either end, so equal numbers are equal decimals.
type decimal struct {
	digits   string
	exponent int
}

func parseDecimal(number string) decimal {
	number, negative := strings.CutPrefix(number, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{digits: "0"}
	}
	exp := 0
	if exponent != "" {
		exp, _ = strconv.Atoi(exponent) // past its range the nearest there is: no double is near it
		exp = max(math.MinInt32, min(exp, math.MaxInt32))
	}
	if negative {
		trimmed = "-" + trimmed
	}
	return decimal{trimmed, exp - len(fraction) + len(digits) - len(strings.TrimPrefix(trimmed, "-"))}
}

func (d decimal) integral() bool { return d.exponent >= 0 }

// isNumber reports whether s is a number as JSON writes them.
func isNumber(s string) bool {
	return strings.Trim(s, "+-.0123456789eE") == "" && json.Valid([]byte(s))
}

// exact is the number that a value stands for, or nil when it is no number.
func exact(v ref.Val) *big.Rat {
	switch v := v.(type) {
	case types.Int:
		return new(big.Rat).SetInt64(int64(v))
	case types.Uint:
		return new(big.Rat).SetUint64(uint64(v))
	case types.Double:
		if r, ok := new(big.Rat).SetString(shortest(float64(v))); ok {
			return r
		}
	}
	return nil
}

// asDouble is the double that stands for a number, or an error when none does.
func asDouble(r *big.Rat) ref.Val {
	f, _ := r.Float64()
	if d := types.Double(f); !math.IsInf(f, 0) && exact(d).Cmp(r) == 0 {
		return d
	}
	return types.NewErr("the result is not exact: it has more digits than a double keeps")
}
