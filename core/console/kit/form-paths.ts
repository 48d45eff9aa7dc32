// The paths of a form's values, so that `form.field('subject.commonName')` is checked: four levels deep, list items by number.

type Leaf = string | number | boolean | Date | null | undefined | Blob

type Step<T, Depth extends unknown[]> = Depth['length'] extends 4
  ? never
  : T extends Leaf
    ? never
    : T extends readonly (infer Item)[]
      ? `${number}` | (Step<Item, [...Depth, unknown]> extends infer Rest extends string ? `${number}.${Rest}` : never)
      : {
          [K in keyof T & string]:
            | K
            | (Step<NonNullable<T[K]>, [...Depth, unknown]> extends infer Rest extends string ? `${K}.${Rest}` : never)
        }[keyof T & string]

export type FieldPath<V> = V extends unknown ? Step<V, []> : never

type Inside<T, P extends string> = T extends object ? FieldValue<T, P> : never

export type FieldValue<V, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? V extends readonly (infer Item)[]
    ? Inside<NonNullable<Item>, Rest>
    : Head extends keyof V
      ? Inside<NonNullable<V[Head]>, Rest>
      : never
  : V extends readonly (infer Item)[]
    ? Item
    : P extends keyof V
      ? V[P]
      : never

export function valueAt(values: unknown, path: string): unknown {
  let at = values
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, step)
  }
  return at
}
