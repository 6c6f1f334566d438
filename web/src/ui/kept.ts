/** State of a row that outlives the row: a virtual list takes rows away as soon as they leave the view. */
import { useState } from "react";

const kept = new Map<string, unknown>();

export function useKept<T>(key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : initial));
  return [
    value,
    (next) => {
      kept.set(key, next);
      setValue(next);
    },
  ];
}
