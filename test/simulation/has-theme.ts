import { Faults, type ThemeName } from './world/faults.ts';
import { Random } from './world/random.ts';

/** Whether a seed has one of the themes; with undefined, every seed has. */
export function hasTheme(seed: number, themes: readonly ThemeName[] | undefined): boolean {
  return (
    themes === undefined || new Faults(new Random(String(seed)), false).themes.some((name) => themes.includes(name))
  );
}
