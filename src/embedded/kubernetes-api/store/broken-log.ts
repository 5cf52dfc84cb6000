/**
 * Distinguishes damage of SQLite's write-ahead log from a crash. SQLite reads the log up to the first invalid frame and
 * silently drops the rest. That is right for the one group that a crash can cut short, because each group is on the
 * disk before the next begins. When two groups follow the invalid frame, durable groups would be dropped.
 *
 * Damage in the last group looks like a crash and is treated as one.
 */
const headerSize = 32;
const frameHeaderSize = 24;

type Sums = readonly [number, number];

export function isBrokenLog(log: Buffer): boolean {
  if (log.length < headerSize + frameHeaderSize) return false;
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1;
  let sums = summed(log.subarray(0, 24), [0, 0], isBigEndian);
  // The header is on the disk before the first frame, so a crash leaves no frames after a bad header.
  if (!isStored(sums, log.subarray(24, 32))) return true;
  const salts = log.subarray(16, 24);
  let isWhole = true;
  let groupsDropped = 0;
  for (const frame of framesOf(log)) {
    const isOurs = frame.subarray(8, 16).equals(salts);
    if (isWhole) {
      const named = summed(frame.subarray(0, 8), sums, isBigEndian);
      sums = summed(frame.subarray(frameHeaderSize), named, isBigEndian);
      isWhole = isOurs && isStored(sums, frame.subarray(16, 24));
    }
    if (!isWhole && isOurs && endsGroup(frame)) groupsDropped += 1;
  }
  return groupsDropped > 1;
}

/** Frames of an earlier use of the file may follow at its end; they have other salts. */
function* framesOf(log: Buffer): Generator<Buffer> {
  const frameSize = frameHeaderSize + log.readUInt32BE(8);
  for (let at = headerSize; at + frameSize <= log.length; at += frameSize) {
    yield log.subarray(at, at + frameSize);
  }
}

/** Only the last frame of a group has the size of the database. */
function endsGroup(frame: Buffer): boolean {
  return frame.readUInt32BE(4) > 0;
}

function isStored([first, second]: Sums, at: Buffer): boolean {
  return at.readUInt32BE(0) === first && at.readUInt32BE(4) === second;
}

/** The cumulative checksum of SQLite's log format. */
function summed(bytes: Buffer, from: Sums, isBigEndian: boolean): Sums {
  let [first, second] = from;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + wordAt(bytes, at, isBigEndian) + second) >>> 0;
    second = (second + wordAt(bytes, at + 4, isBigEndian) + first) >>> 0;
  }
  return [first, second];
}

function wordAt(bytes: Buffer, at: number, isBigEndian: boolean): number {
  return isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
}
