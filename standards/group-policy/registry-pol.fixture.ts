// Writes a Registry.pol as Windows does, for tests and for the demonstration.

const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export type PolicyEntry = { key: string; name: string } & ({ number: number } | { text: string } | { bytes: Uint8Array })

export function writeRegistryPol(entries: readonly PolicyEntry[]): Buffer {
  const parts: Buffer[] = [Buffer.from('PReg'), number(1)]
  for (const entry of entries) {
    const [type, data] =
      'number' in entry
        ? ([4, number(entry.number)] as const)
        : 'text' in entry
          ? ([1, wide(`${entry.text}\0`)] as const)
          : ([3, Buffer.from(entry.bytes)] as const)
    parts.push(wide('['), wide(`${entry.key}\0;${entry.name}\0;`), number(type), wide(';'), number(data.length), wide(';'), data, wide(']'))
  }
  return Buffer.concat(parts)
}

/** The `Blob` of a certificate in the registry, with its thumbprint before it. */
export function certificateBlob(der: Uint8Array, sha1: Uint8Array): Buffer {
  const property = (id: number, data: Uint8Array) => Buffer.concat([number(id), number(1), number(data.length), data])
  return Buffer.concat([property(3, sha1), property(32, der)])
}
