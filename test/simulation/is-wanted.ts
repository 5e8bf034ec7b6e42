import { drawConditions, type Condition } from './world/conditions.ts';
import { Faults, type ThemeName } from './world/faults.ts';
import { Random } from './world/random.ts';

/** The seeds to run. */
export interface Wanted {
  /** Only those with one of these; absent: all. */
  readonly themes?: readonly ThemeName[] | undefined;
  /** Only those of rich worlds in which all of these hold; absent: all. */
  readonly conditions?: readonly Condition[] | undefined;
}

/** Whether a seed is one of those to run. */
export function isWanted(seed: number, { themes, conditions = [] }: Wanted): boolean {
  const random = new Random(String(seed));
  const hasTheme = themes === undefined || new Faults(random, false).themes.some((name) => themes.includes(name));
  const drawn = drawConditions(random);
  return hasTheme && conditions.every((one) => drawn.has(one));
}
