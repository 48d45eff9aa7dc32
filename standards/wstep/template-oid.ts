// The identifier by which Windows knows a template. Enterprises make their own below an arc of Microsoft's, in pieces that its programs can count.

const ENTERPRISE_ARC = '1.3.6.1.4.1.311.21.8'

/** Of a UUID: six pieces, of 24 bits each but the last, which is shorter. The same for ever. */
export function templateOid(uuid: string): string {
  const hexadecimal = uuid.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hexadecimal)) throw new RangeError('A template is known by a UUID')
  const pieces = hexadecimal.match(/.{1,6}/g) ?? []
  return [ENTERPRISE_ARC, ...pieces.map((piece) => Number.parseInt(piece, 16))].join('.')
}

/** A change of the first has every certificate of the template replaced at once, so neither changes. */
export const TEMPLATE_REVISION = { major: 100, minor: 0 } as const
