import { z } from 'zod';

/** The part of the report of `npm audit --json` that is read here. A string in `via` names another package. */
const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          z.string(),
          z.object({ name: z.string(), title: z.string(), url: z.string(), severity: z.string(), range: z.string() }),
        ]),
      ),
    }),
  ),
});

/**
 * @param report what `npm audit --json` printed.
 * @param names the packages that ship.
 * @param reviewed text that names the advisories that somebody has looked at, by their ids (GHSA-...).
 * @returns one line for each other advisory about these packages; undefined if the report is an error message.
 */
export function unreviewedAdvisories(
  report: unknown,
  names: readonly string[],
  reviewed: string,
): string[] | undefined {
  const parsed = reportSchema.safeParse(report);
  if (!parsed.success) return undefined;
  const advisories = Object.values(parsed.data.vulnerabilities).flatMap(({ via }) =>
    via.filter((cause) => typeof cause !== 'string'),
  );
  return advisories
    .filter(({ name, url }) => names.includes(name) && !reviewed.includes(url.replace(/^.*\//, '')))
    .map(({ name, range, severity, title, url }) => `${name} ${range} (${severity}): ${title} ${url}`);
}
