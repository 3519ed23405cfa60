# SPDX-License-Identifier: BSD-2-Clause
"""Hosts for end-to-end tests: two network namespaces and a wire between them.

TAP goes to standard output: check() prints a line a test. Everything made here is
removed at exit, and only processes started here are ended, by process id.
"""
import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
PROGRAM = os.path.abspath(os.environ.get('ROCETRACE', os.path.join(ROOT, 'build', 'rocetrace')))
PCAPS = os.path.join(ROOT, 'tests', 'data', 'pcap')

os.environ['PATH'] += ':/usr/sbin:/sbin'

failures = 0


def check(ok, name, detail=''):
    """One test's result; detail is shown where it failed."""
    global failures
    print(('ok - ' if ok else 'not ok - ') + name, flush=True)
    if not ok:
        failures += 1
        for line in str(detail).splitlines()[:20]:
            print('#   ' + line, flush=True)
    return ok


def finish():
    sys.exit(1 if failures else 0)


def sh(*words, **kw):
    return subprocess.run(words, check=True, capture_output=True, text=True, **kw).stdout


class Wire:
    """send0 in one namespace, recv0 in the other; nothing on it but what is sent."""

    def __init__(self, mtu=9000):
        self.sender = f'rct-{os.getpid()}-s'
        self.receiver = f'rct-{os.getpid()}-r'
        atexit.register(self.close)
        for ns in (self.sender, self.receiver):
            sh('ip', 'netns', 'add', ns)
        sh('ip', 'link', 'add', 'send0', 'netns', self.sender, 'type', 'veth',
           'peer', 'name', 'recv0', 'netns', self.receiver)
        for ns, dev in ((self.sender, 'send0'), (self.receiver, 'recv0')):
            sh('ip', '-n', ns, 'link', 'set', dev, 'addrgenmode', 'none', 'mtu', str(mtu), 'up')
            sh('ip', '-n', ns, 'link', 'set', 'lo', 'up')

    def close(self):
        for ns in (self.sender, self.receiver):
            subprocess.run(['ip', 'netns', 'del', ns], capture_output=True)

    def inside(self, ns, *words):
        return ('ip', 'netns', 'exec', ns) + words

    def replay(self, capture):
        """Sends a capture's frames in order, on one processor so that none overtakes."""
        sh(*self.inside(self.sender, 'taskset', '-c', '0', 'tcpreplay', '-q', '-i', 'send0',
                        '--pps', '20000', capture))

    def send(self, frames):
        """Sends frames, bytes each."""
        code = ('import socket,sys\n'
                's=socket.socket(socket.AF_PACKET,socket.SOCK_RAW)\n'
                's.bind(("send0",0))\n'
                'for l in sys.stdin: s.send(bytes.fromhex(l))\n')
        sh(*self.inside(self.sender, 'taskset', '-c', '0', 'python3', '-c', code),
           input='\n'.join(f.hex() for f in frames) + '\n')


class Tracer:
    """`rocetrace run` in a namespace, ready once this returns."""

    def __init__(self, wire, ns, *options, program=PROGRAM, prefix=()):
        self.json = tempfile.NamedTemporaryFile(suffix='.json')
        self.err = tempfile.TemporaryFile(mode='w+')
        self.out = tempfile.TemporaryFile(mode='w+')
        self.process = subprocess.Popen(
            wire.inside(ns, *prefix, program, 'run', '-t', '0', '--json=' + self.json.name, *options),
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err)
        atexit.register(self.kill)
        end = time.monotonic() + 30
        while 'rocetrace: tracing' not in self.stderr():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError('no tracing: ' + self.stderr())
            time.sleep(0.02)

    def stderr(self):
        self.err.seek(0)
        return self.err.read()

    def stdout(self):
        self.out.seek(0)
        return self.out.read()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self, sig=signal.SIGINT):
        """Ends it and returns the JSON report."""
        time.sleep(0.2)     # frames under way
        self.process.send_signal(sig)
        self.status = self.process.wait(30)
        self.json.seek(0)
        text = self.json.read()
        return json.loads(text) if text else None


def rocetrace(*words, prefix=(), **kw):
    return subprocess.run(tuple(prefix) + (PROGRAM,) + words, capture_output=True, text=True,
                          timeout=60, **kw)
