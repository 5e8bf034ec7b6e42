import { visitorSettings, withData } from '../../src/http/page-data.ts';
import { parsePublicSettings } from '../../src/platform/public-settings.ts';

/**
 * The page of the certificate check for an archive: of the service it asks nothing.
 * @param built The page, as it is built.
 * @param env The settings of the service, for the nodes of its chains.
 * @param assetBases Where files were until now.
 */
export function archivedCheckPage(
  built: string,
  env: Readonly<Record<string, string | undefined>>,
  assetBases: readonly string[],
): string {
  // It finds its own address in the browser.
  const { settings, origins } = visitorSettings(parsePublicSettings(env), 'https://archive.invalid');
  return withData(built, {
    settings: { ...settings, origin: '', archive: { assetBases } },
    origins: ["'self'", ...origins],
    head: '<title>Certificate check</title>',
  });
}
