import { ERROR_CODES, ISSUE_CODES } from '../core/error-codes.ts';
import { ERROR_STATUS } from './error-replies.ts';

export function errorCodesTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { kind, means, remedy }]) => [
    ERROR_STATUS[kind],
    `\`${code}\``,
    means,
    remedy,
  ]);
  return tableOf([['status', '`code`', 'meaning', 'what to do'], ...rows]);
}

/** The table of the codes of issues, in Markdown. */
export function issueCodesTable(): string {
  const rows = Object.entries(ISSUE_CODES).map(([code, means]) => [`\`${code}\``, means]);
  return tableOf([['`code` in `errors`', 'meaning'], ...rows]);
}

function tableOf([head = [], ...rows]: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
