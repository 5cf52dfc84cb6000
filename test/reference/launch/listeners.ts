/** The addresses a process listens on for TCP, read from /proc (Linux), as `address:port`. */
import { readFile, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const listening = '0A';

export async function listeners(pid: number): Promise<readonly string[]> {
  const sockets = await socketsOf(pid);
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')),
  );
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === listening && sockets.has(fields[9] ?? ''))
    .map((fields) => readable(fields[1] ?? ''));
}

async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')),
  );
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** The kernel prints an IPv4 address as one little-endian number in hex; other families stay as they are. */
function readable(hex: string): string {
  const [address = '', port = ''] = hex.split(':');
  const bytes = address.match(/../g) ?? [];
  const text =
    bytes.length === 4
      ? bytes
          .toReversed()
          .map((byte) => Number.parseInt(byte, 16))
          .join('.')
      : address;
  return `${text}:${Number.parseInt(port, 16)}`;
}
