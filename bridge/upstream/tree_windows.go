package upstream

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree ends a server together with what it started: a job object, which Windows
// also ends when our process does.
type tree struct {
	job windows.Handle
}

func lockThread() (unlock func()) { return func() {} }

func (t *tree) start(p *process) error {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	if err := t.assign(p.pid); err != nil {
		p.log.Debug("putting the server into a job object", "error", err)
	}
	return nil
}

func (t *tree) assign(pid int) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var proc windows.Handle
		proc, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, proc)
			_ = windows.CloseHandle(proc)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	t.job = job
	return nil
}

// signal has only one way here: Windows has no SIGTERM for a process without a
// console, so every step after the end of stdin ends the job.
func (t *tree) signal(p *process, _ syscall.Signal) {
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
	_ = p.cmd.Process.Kill()
}

// reap waits for the server's end and ends its job with it.
func (t *tree) reap(p *process) (how string) {
	_ = p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.signal(p, syscall.SIGKILL)
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
	}
	p.reaped = true
	return p.cmd.ProcessState.String()
}

// relatives is empty: the job holds every descendant.
type relatives struct{}

func (t *tree) descendants(*process) relatives { return relatives{} }

func (relatives) kill() {}
