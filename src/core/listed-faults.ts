/** The most entries of one list of faults. */
const MAX_FAULTS = 1_000;
/** The most bytes of JSON that the entries may come to. */
const MAX_FAULT_BYTES = 512 * 1_024;

interface Place {
  readonly path: string;
  readonly message: string;
}

/**
 * The faults that an error lists: all of them, or, where they are more than a reply takes, the first ones and a last entry that
 * says how many more there are. Those that are not listed are counted, and nothing of them is kept.
 * @param root The path of the last entry: that of the whole input.
 */
export function listedFaults<Fault extends Place>(faults: Iterable<Fault>, root = ''): Fault[] {
  const listed: Fault[] = [];
  let bytes = 0;
  let unlisted = 0;
  let last: Fault | undefined;
  for (const fault of faults) {
    if (unlisted === 0) bytes += sizeOf(fault);
    if (unlisted > 0 || listed.length === MAX_FAULTS || bytes > MAX_FAULT_BYTES) {
      unlisted += 1;
      last = fault;
    } else {
      listed.push(fault);
    }
  }
  if (last === undefined) return listed;
  if (listed.length === MAX_FAULTS) {
    listed.pop();
    unlisted += 1;
  }
  return [...listed, { ...last, path: root, message: `faults not listed: ${unlisted}` }];
}

function sizeOf(fault: Place): number {
  return new TextEncoder().encode(JSON.stringify(fault)).length;
}
