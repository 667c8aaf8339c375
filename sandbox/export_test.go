package sandbox

// WithMemory is o for a host with so many bytes of memory available.
func (o PoolOptions) WithMemory(available int64) PoolOptions {
	o.available = func() int64 { return available }
	return o
}
