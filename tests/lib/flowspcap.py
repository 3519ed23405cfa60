# SPDX-License-Identifier: BSD-2-Clause
"""A capture from a table of its flows (input/flows.tsv of tests/data/cases).

The header line of the table names the columns. Fewer packets than the table says are
written, all flows scaled alike and the time with them, so that rates and shares stay;
flows whose PSNs the table gives are written whole. Frames are cut, so that none has an ICRC
that could be verified.
"""
import ipaddress
import struct

MOST = 200_000      # packets in the file
SNAPLEN = 96
OPCODES = {'RDMA_WRITE_MIDDLE': 0x07, 'RDMA_WRITE_ONLY': 0x0a, 'ACKNOWLEDGE': 0x11}
ETH, IP, UDP, BTH, RETH, AETH, ICRC = 14, 20, 8, 12, 16, 4, 4
EXTENSION = {0x0a: RETH, 0x11: AETH}


def read_table(path):
    with open(path, encoding='utf-8') as f:
        lines = [line.rstrip('\n').lstrip('# ').split('\t') for line in f if line.strip()]
    return [dict(zip(lines[0], row)) for row in lines[1:]]


def checksum(header):
    total = sum(struct.unpack(f'!{len(header) // 2}H', header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def frame(row, psn, ce):
    """Headers of one packet, and its length on the wire."""
    opcode = OPCODES[row['opcode']]
    length = int(row['bytes']) // int(row['packets'])
    payload = length - ETH - IP - UDP - BTH - EXTENSION.get(opcode, 0) - ICRC
    tos = int(row['dscp']) << 2 | (3 if ce else 2)
    ip = struct.pack('!BBHHHBBH4s4s', 0x45, tos, length - ETH, 0, 0x4000, int(row.get('ttl', 64)), 17, 0,
                     ipaddress.ip_address(row['src_ip']).packed, ipaddress.ip_address(row['dst_ip']).packed)
    ip = ip[:10] + struct.pack('!H', checksum(ip)) + ip[12:]
    udp = struct.pack('!HHHH', int(row['src_udp']), int(row['dst_udp']), length - ETH - IP, 0)
    bth = struct.pack('!BBHII', opcode, (-payload % 4) << 4 | 0x40, 0xffff, int(row['dst_qp'], 16), psn & 0xffffff)
    more = b''
    if opcode == 0x0a:
        more = struct.pack('!QII', 0x7f0000000000 + psn * 4096, 0x1234, payload)
    elif opcode == 0x11:
        more = struct.pack('!I', 0x1f000000 | psn & 0xffffff)
    mac = b'\x02\x00\x5e\x00\x00\x02\x02\x00\x5e\x00\x00\x01\x08\x00'
    data = (mac + ip + udp + bth + more).ljust(length, b'\0')
    return data[:min(SNAPLEN, length - ICRC)], length


def peers(row, rows):
    """The request packets that an ACK flow answers, or 0."""
    for other in rows:
        if other['src_ip'] == row['dst_ip'] and other['dst_ip'] == row['src_ip'] and \
                other['opcode'] != 'ACKNOWLEDGE' and int(other['dst_qp'], 16) & 0xff == int(row['dst_qp'], 16) & 0xff:
            return int(other['packets'])
    return 0


def psns(row, rows, n, scale):
    """PSN of each packet: as the table says, else counted; an ACK's is its request's."""
    if 'psn_first' in row:
        span = int(row['psn_last']) - int(row['psn_first']) + 1
        return [int(row['psn_first']) + i % span for i in range(n)]
    if row['opcode'] != 'ACKNOWLEDGE':
        return list(range(1000, 1000 + n))
    requests = max(1, int(peers(row, rows) / scale))
    return [1000 + (i + 1) * requests // n - 1 for i in range(n)]


def flow(row, rows, scale):
    """(time, frame, length) of each packet of a flow; repeated runs of PSNs lie apart."""
    n = max(1, round(int(row['packets']) / scale))
    first, last = float(row['first_s']), float(row['last_s'])
    marked = round(int(row['ecn_ce']) / scale)
    rounds = 1 + int(row.get('repeated', 0)) * n // (n - int(row.get('repeated', 0))) // n if 'repeated' in row else 1
    run = n // rounds
    for i, psn in enumerate(psns(row, rows, n, scale)):
        ce = (i + 1) * marked // n > i * marked // n
        if rounds > 1:
            at = first + (last - first) * (i // run) / (rounds - 1) + (i % run) * 1e-6
        else:
            at = first + (last - first) * (i + 0.5) / n / scale
        yield at, *frame(row, psn, ce)


def write(table, pcap):
    rows = read_table(table)
    total = sum(int(row['packets']) for row in rows)
    scale = 1 if 'psn_first' in rows[0] else max(1, total / MOST)
    packets = sorted((p for row in rows for p in flow(row, rows, scale)), key=lambda p: p[0])
    with open(pcap, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, SNAPLEN, 1))
        for at, data, length in packets:
            ns = round((1_700_000_000 + at) * 1e9)
            f.write(struct.pack('<IIII', ns // 10**9, ns % 10**9, len(data), length) + data)
