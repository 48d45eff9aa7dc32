// The parts of the OpenAPI description that the reference shows. What does not look as expected is left out rather than trusted.

export type Operation = {
  id: string
  area: string
  method: string
  path: string
  needs: string
  /** What it does, in a sentence. */
  does: string
  parameters: { name: string; place: string; required: boolean; schema: unknown }[]
  request: unknown
  /** A body to begin with. */
  example: unknown
  responses: { status: string; says: string; schema: unknown }[]
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const schemaIn = (value: unknown): unknown => record(record(record(value)['content'])['application/json'])['schema']

export function operationsOf(description: unknown): Operation[] {
  return Object.entries(record(record(description)['paths'])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, value]) => {
      const operation = record(value)
      const [area = ''] = Array.isArray(operation['tags']) ? operation['tags'].map(text) : []
      const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].map(record) : []
      return {
        id: text(operation['operationId']),
        area,
        method: method.toUpperCase(),
        path,
        needs: text(operation['x-permission']),
        does: text(operation['description']),
        parameters: parameters.map((one) => ({
          name: text(one['name']),
          place: text(one['in']),
          required: one['required'] === true,
          schema: one['schema'],
        })),
        request: schemaIn(operation['requestBody']),
        example: record(record(record(operation['requestBody'])['content'])['application/json'])['example'],
        responses: Object.entries(record(operation['responses'])).map(([status, answer]) => ({
          status,
          says: text(record(answer)['description']),
          schema: schemaIn(answer),
        })),
      }
    }),
  )
}

/** Every word must stand somewhere in the method, the path, the name or the permission. */
export function matchingOperations(operations: readonly Operation[], wanted: string): Operation[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return operations.filter(({ id, method, path, needs }) => {
    const all = `${method} ${path} ${id} ${needs}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** The call as a command for a shell, with a token in `$TOKEN`. */
export function curlOf({ method, path, needs, parameters, request, example }: Operation, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, '018f0000-0000-7000-8000-000000000001')
  const asked = parameters.filter(({ place, required }) => place === 'query' && required)
  const query = asked.map(
    ({ name, schema }) => `${name}=${record(schema)['format'] === 'uuid' ? '018f0000-0000-7000-8000-000000000001' : '...'}`,
  )
  const address = `${origin}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    ...(needs === 'public' ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(request === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ')
}
