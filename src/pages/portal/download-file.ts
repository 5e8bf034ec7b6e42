import type { ServiceApi } from '../shared/service-api.ts';

/**
 * Saves what a route replies with, which needs the key of the tab, as a file.
 * @returns what to say. @throws {ApiError} as {@link ServiceApi.get}.
 */
export async function downloadFile(api: ServiceApi, path: string, name: string): Promise<string> {
  const url = URL.createObjectURL(await api.file(path));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser may begin to read it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return `Saved as ${name}.`;
}
