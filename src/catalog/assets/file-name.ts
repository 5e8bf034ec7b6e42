const MAX_LENGTH = 200;

/**
 * Makes a file name safe to store and show: the last path segment, without control and formatting characters and
 * without characters that are special in file systems or HTML.
 */
export function cleanFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}<>:"|?*]/gu, '')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '');
  return clean === '' ? 'file' : Array.from(clean).slice(0, MAX_LENGTH).join('');
}
