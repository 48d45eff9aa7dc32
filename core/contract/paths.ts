// Paths as the specification writes them: `:id` is a parameter, `:id?` one that may be missing, `:id.crt` one with an ending, `*` the rest.

type Segments<P extends string> = P extends `${infer Head}/${infer Rest}` ? Segments<Head> | Segments<Rest> : P
type Name<S> = S extends `:${string}?` ? never : S extends `:${infer N}.${string}` ? N : S extends `:${infer N}` ? N : never
type OptionalName<S> = S extends `:${infer N}?` ? N : never

/** The parameters of a path: required ones required, optional ones optional. */
export type ParamsOf<P extends string> = { [K in Name<Segments<P>>]: string } & { [K in OptionalName<Segments<P>>]?: string } & Rest<P>
type Rest<P> = P extends `${string}/*` ? { '*'?: string } : unknown

type NoRequired<P extends string> = Name<Segments<P>> extends never ? true : false

/** A link to a screen. `to(tickets.screens.view, { id })` does not compile without the id. */
export function to<S extends { path: string }>(
  screen: S,
  ...rest: NoRequired<S['path']> extends true ? [params?: ParamsOf<S['path']>, query?: Query] : [params: ParamsOf<S['path']>, query?: Query]
): string {
  const [params, query] = rest
  return fillPath(screen.path, { ...params }) + queryText(query)
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** The name, the question mark of one that may be missing, and what follows it in the segment. */
export const parameter = /^:(\w+)(\?)?(\..+)?$/

/** Fills `:name`, `:name?` and the `*` at the end from `params`; what is missing and may be takes its slash with it. */
export function fillPath(path: string, params: Record<string, string | undefined>): string {
  const filled = path
    .split('/')
    .flatMap((segment) => {
      if (segment === '*')
        return (params['*'] ?? '')
          .split('/')
          .filter((part) => part !== '')
          .map(encodeURIComponent)
      const [, name, optional, ending = ''] = parameter.exec(segment) ?? []
      if (name === undefined) return [segment]
      const value = params[name]
      if (value !== undefined && value !== '') return [encodeURIComponent(value) + ending]
      if (optional !== undefined) return []
      throw new TypeError(`The path ${path} needs ${name}`)
    })
    .join('/')
  return filled === '' ? '/' : filled
}

export const paramNames = (path: string): string[] => path.split('/').flatMap((segment) => parameter.exec(segment)?.[1] ?? [])

export function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === ''
      ? []
      : [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
