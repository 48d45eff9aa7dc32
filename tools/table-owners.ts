/** The room of each table, as the migrations of the rooms make them. */
export function tableOwners(files: readonly string[], read: (file: string) => string): Map<string, string> {
  const owners = new Map<string, string>()
  for (const file of files) {
    const [, room] = /^areas\/([^/]+)\/server\/migrations\//.exec(file) ?? []
    if (room !== undefined) for (const [, table = ''] of read(file).matchAll(/create table (\w+)/g)) owners.set(table, room)
  }
  return owners
}
