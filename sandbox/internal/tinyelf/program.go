package tinyelf

// A Program is written instruction by instruction, from its first to its last.
type Program struct {
	target      target
	code        []byte
	constants   []byte
	constantsAt int            // where they begin, counted from the first instruction
	memory      uint64         // bytes given away
	labels      map[string]int // where each is, counted from the first instruction
	final       map[string]int // the same, known from the time before
	missing     string         // a label that is used and nowhere
}

// A Value is what an instruction works with: a Const or what a Word holds.
type Value interface {
	// to is code that brings the value to a register.
	to(t target, reg register) []byte
}

// A Const is a number, or the address of something.
type Const int64

func (c Const) to(t target, reg register) []byte { return t.set(reg, uint64(c)) }

// A Word is 64 bits of memory, which are 0 at first.
type Word struct{ Address Const }

func (w Word) to(t target, reg register) []byte {
	return append(w.Address.to(t, reg), t.load(reg, reg)...)
}

// A Call is the number of a system call on either architecture.
type Call struct{ AMD64, ARM64 int }

// A Comparison is of signed numbers.
type Comparison int

// The comparisons an If can make.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessOrEqual
)

// Space is the address of memory that is 0 at first.
func (p *Program) Space(bytes int) Const {
	address := memoryAddress + p.memory
	p.memory += (uint64(bytes) + 7) &^ 7
	return Const(address)
}

// Word is a new one.
func (p *Program) Word() Word { return Word{p.Space(8)} }

// Bytes is the address of a constant.
func (p *Program) Bytes(constant []byte) Const {
	for len(p.constants)%8 != 0 {
		p.constants = append(p.constants, 0)
	}
	address := loadAddress + headerSize + p.constantsAt + len(p.constants)
	p.constants = append(p.constants, constant...)
	return Const(address)
}

// Stack sets w to the address where argc, argv and the environment are. It must
// be the first instruction.
func (p *Program) Stack(w Word) {
	p.emit(p.target.stack(first))
	p.store(w)
}

// Set is w = v.
func (p *Program) Set(w Word, v Value) {
	p.emit(v.to(p.target, first))
	p.store(w)
}

// Follow sets w to the word at an address.
func (p *Program) Follow(w Word, address Value) {
	p.emit(address.to(p.target, first), p.target.load(first, first))
	p.store(w)
}

// Add is w += v.
func (p *Program) Add(w Word, v Value) { p.operate(add, w, v) }

// Sub is w -= v.
func (p *Program) Sub(w Word, v Value) { p.operate(sub, w, v) }

// And is w &= v.
func (p *Program) And(w Word, v Value) { p.operate(and, w, v) }

// ShiftRight is w >>= bits, without a sign.
func (p *Program) ShiftRight(w Word, bits int) {
	p.emit(w.to(p.target, first), p.target.shiftRight(first, bits))
	p.store(w)
}

func (p *Program) operate(o operation, w Word, v Value) {
	p.emit(w.to(p.target, first), v.to(p.target, second), p.target.operate(o, first, second))
	p.store(w)
}

// Call makes a system call and sets w to what it returns: a negative error
// number when it fails.
func (p *Program) Call(w Word, c Call, args ...Value) {
	for i, v := range args {
		p.emit(v.to(p.target, argument(i)))
	}
	p.emit(p.target.call(c))
	p.store(w)
}

// Label names the place of the next instruction.
func (p *Program) Label(name string) { p.labels[name] = len(p.code) }

// Jump goes on at a label.
func (p *Program) Jump(label string) {
	p.emit(p.target.jump(p.distance(label)))
}

// If goes on at a label when the comparison holds.
func (p *Program) If(a Value, c Comparison, b Value, label string) {
	p.emit(a.to(p.target, first), b.to(p.target, second), p.target.compare(first, second))
	p.emit(p.target.jumpIf(c, p.distance(label)))
}

// distance is how far a label lies from the next instruction.
func (p *Program) distance(label string) int {
	at, ok := p.final[label]
	if !ok {
		p.missing = label
	}
	return at - len(p.code)
}

// store brings the first register to a word; the second is overwritten.
func (p *Program) store(w Word) {
	p.emit(w.Address.to(p.target, second), p.target.store(first, second))
}

func (p *Program) emit(code ...[]byte) {
	for _, c := range code {
		p.code = append(p.code, c...)
	}
}
