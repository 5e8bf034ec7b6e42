const MAX_LENGTH = 200;

/**
 * A file's name as it may be kept and shown: its last part only, without control characters, marks that change the
 * direction of text, and what file systems and HTML read as more than a name.
 */
export function cleanFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}<>:"|?*]/gu, '')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '');
  return clean === '' ? 'file' : Array.from(clean).slice(0, MAX_LENGTH).join('');
}
