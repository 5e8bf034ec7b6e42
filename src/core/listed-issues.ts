import type { IssueCode } from './error-codes.ts';

/** The most entries of one list of issues. */
const MAX_ISSUES = 1_000;
/** The most bytes of JSON that the entries may have in total. */
const MAX_ISSUE_BYTES = 512 * 1_024;

interface Located {
  readonly path: string;
  readonly message: string;
  readonly code?: IssueCode;
}

/**
 * The issues that an error lists: all of them, or, when they are too many for a reply, the first ones and a last entry that
 * says how many are left out. Issues that are left out are counted but not kept in memory.
 * @param root The path of the last entry: that of the whole input.
 */
export function listedIssues<Issue extends Located>(issues: Iterable<Issue>, root = ''): Issue[] {
  const listed: Issue[] = [];
  let bytes = 0;
  let unlisted = 0;
  let last: Issue | undefined;
  for (const issue of issues) {
    if (unlisted === 0) bytes += sizeOf(issue);
    if (unlisted > 0 || listed.length === MAX_ISSUES || bytes > MAX_ISSUE_BYTES) {
      unlisted += 1;
      last = issue;
    } else {
      listed.push(issue);
    }
  }
  if (last === undefined) return listed;
  if (listed.length === MAX_ISSUES) {
    listed.pop();
    unlisted += 1;
  }
  return [...listed, { ...last, path: root, message: `issues not listed: ${unlisted}`, code: 'more_issues' }];
}

function sizeOf(issue: Located): number {
  return new TextEncoder().encode(JSON.stringify(issue)).length;
}
