// Decisions about devices and what they are known by, for the server and the console alike. Pure.

export const deviceStatuses = ['planned', 'active', 'stored', 'lost', 'retired'] as const
export type DeviceStatus = (typeof deviceStatuses)[number]

/** The types of a new tenancy. Mobile stays, because the first view of the list names it. */
export const firstTypes = [
  'Workstation',
  'Laptop',
  'Mobile',
  'Server',
  'Virtual machine',
  'Printer',
  'Network',
  'Camera',
  'Controller',
  'Reader',
  'Other',
] as const
export const fixedType = 'Mobile'

export const identifierKinds = ['serial', 'eui48', 'eui64', 'uuid', 'imei', 'asset', 'fqdn', 'hwModule', 'tpmEk'] as const
export type IdentifierKind = (typeof identifierKinds)[number]

/** Who says so. `typed` is a person, by hand or in a file. */
export const sourceKinds = ['typed', 'csv', 'scim', 'mdm'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** Protocols that an endpoint may speak. */
export const protocols = ['tls', 'smtp', 'imap', 'pop3', 'ldap', 'postgresql'] as const

export const mostIdentifiers = 20
export const mostEndpoints = 50

type Read = { value: string; fault?: undefined } | { value?: undefined; fault: string }
const refuse = (fault: string): Read => ({ fault })

/** Serial numbers that makers leave in thousands of machines: they tell nobody apart. */
const emptySerials = new Set([
  '0',
  '00000000',
  '0123456789',
  '123456789',
  'DEFAULT STRING',
  'INVALID',
  'N/A',
  'NA',
  'NONE',
  'NOT APPLICABLE',
  'NOT SPECIFIED',
  'SYSTEM SERIAL NUMBER',
  'TO BE FILLED BY O.E.M.',
  'UNKNOWN',
])

function readHardwareAddress(text: string, bytes: 6 | 8): Read {
  // A colon or a dash stands between bytes, whose first zero may be left out; a dot stands between groups of four digits.
  const parts = text.split(/[:-]/)
  const digits = parts.length === bytes ? parts.map((part) => part.padStart(2, '0')).join('') : text.replaceAll(/[.:\s-]/g, '')
  if (digits.length !== bytes * 2 || !/^[\da-f]+$/i.test(digits))
    return refuse(`Enter ${bytes} bytes, such as ${bytes === 6 ? '00:1b:44:11:3a:b7' : '00:1b:44:ff:fe:11:3a:b7'}`)
  if (/^0+$/.test(digits)) return refuse('An address of zeros belongs to no device')
  if ((Number.parseInt(digits.slice(0, 2), 16) & 1) === 1) return refuse('This is the address of a group, not of one device')
  return { value: (digits.toLowerCase().match(/../g) ?? []).join(':') }
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

/** Reads a host name, with the A-labels of international names. */
export function readHostname(text: string): Read {
  const typed = text.trim().replace(/\.$/, '')
  if (typed === '' || /[\s/@:?#%\\[\]*<>^|_]/.test(typed) || !URL.canParse(`http://${typed}/`))
    return refuse('Enter a host name of letters, digits, dashes and dots')
  const name = new URL(`http://${typed}/`).hostname
  const labels = name.split('.')
  if (name.length > 253 || labels.some((label) => !/^[\da-z]([\da-z-]{0,61}[\da-z])?$/.test(label)))
    return refuse('Enter a host name whose parts have at most 63 characters, and 253 in all')
  return { value: name }
}

const readers: Readonly<Record<IdentifierKind, (text: string) => Read>> = {
  serial(text) {
    const value = text.toUpperCase()
    return emptySerials.has(value) || /^0+$/.test(value) ? refuse('Makers leave this in many devices: it tells none apart') : { value }
  },
  eui48: (text) => readHardwareAddress(text, 6),
  eui64: (text) => readHardwareAddress(text, 8),
  uuid(text) {
    const value = text.toLowerCase().replaceAll(/[{}]/g, '')
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)) return refuse('Enter a UUID')
    return /^[0-]+$|^[f-]+$/.test(value) ? refuse('Makers leave this in many devices: it tells none apart') : { value }
  },
  imei(text) {
    const value = text.replaceAll(/[\s-]/g, '')
    return /^\d{15}$/.test(value) && passesLuhn(value)
      ? { value }
      : refuse('Enter the 15 digits of the IMEI, the last of which checks the others')
  },
  asset: (text) => ({ value: text.toUpperCase() }),
  fqdn: readHostname,
  hwModule: (text) =>
    /^[0-2](\.\d+)+:([\da-f]{2})+$/i.test(text)
      ? { value: text.toLowerCase() }
      : refuse('Enter the hardware type as an OID, a colon and the serial number in hex, such as 1.3.6.1.4.1.99.1:0a1b'),
  tpmEk(text) {
    const value = text.toLowerCase().replaceAll(/[:\s]/g, '')
    return /^[\da-f]{64}$/.test(value) ? { value } : refuse('Enter the SHA-256 of the endorsement key in hex')
  },
}

/** One spelling for each thing that a device is known by, or what is wrong with it. */
export function readIdentifier(kind: IdentifierKind, text: string): Read {
  const typed = text.trim()
  if (typed === '') return refuse('Enter a value')
  if (typed.length > 253) return refuse('Use at most 253 characters')
  return readers[kind](typed)
}

/** Names that may stand where a device is called, in certificates too. */
export const certificateNames = (device: { name: string; hostname: string }): string[] =>
  [...new Set([device.hostname, device.name].map((name) => name.toLowerCase()))].filter((name) => name !== '')

/** What hangs on an organisation here. */
export const dependantKind = 'Devices of an organisation'
