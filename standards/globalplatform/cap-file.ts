// CAP files as compilers write them: a ZIP archive with a component per file (Java Card VM specification 4.1). A card takes the components one after another.

import { ScpError } from './scp03.ts'

/** The order in which a card takes them (Java Card VM specification 6.2). A debug component is for tools, so that no card gets it. */
const order = [
  'Header',
  'Directory',
  'Import',
  'Applet',
  'Class',
  'Method',
  'StaticField',
  'Export',
  'ConstantPool',
  'RefLocation',
  'Descriptor',
] as const
const needed: readonly string[] = ['Header', 'Directory', 'Import', 'Class', 'Method', 'StaticField', 'ConstantPool', 'RefLocation']
const path = /^(.+\/)?javacard\/([A-Za-z]+)\.cap$/i

/** A ZIP archive by its first bytes. */
export const isArchive = (file: Uint8Array): boolean => Buffer.from(file.subarray(0, 4)).toString('hex') === '504b0304'

/** The load file (IJC) that the files of a CAP archive make. Throws ScpError. */
export function loadFileOf(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const components = new Map<string, Uint8Array>()
  const packages = new Set<string>()
  for (const [name, content] of files) {
    const [, folder, component = ''] = path.exec(name) ?? []
    const known = order.find((one) => one.toLowerCase() === component.toLowerCase())
    if (known === undefined) continue
    packages.add(folder ?? '')
    if (components.has(known)) throw new ScpError('it holds more than one package')
    components.set(known, content)
  }
  if (packages.size === 0) throw new ScpError('the archive holds no components of Java Card')
  const missing = needed.find((name) => !components.has(name))
  if (missing !== undefined) throw new ScpError(`the component ${missing} is missing`)
  for (const name of order) checkComponent(name, components.get(name))
  return Buffer.concat(order.flatMap((name) => components.get(name) ?? []))
}

/** Tags as the specification numbers them (table 6-1): 1 to 11, of which the applet component has 3 and the import component 4. */
const tags: Readonly<Record<(typeof order)[number], number>> = {
  Header: 1,
  Directory: 2,
  Applet: 3,
  Import: 4,
  ConstantPool: 5,
  Class: 6,
  Method: 7,
  StaticField: 8,
  RefLocation: 9,
  Export: 10,
  Descriptor: 11,
}

/** A component says its number and its length; one that says another is refused here, because a card would refuse it half way. */
function checkComponent(name: (typeof order)[number], bytes: Uint8Array | undefined): void {
  if (bytes === undefined) return
  const view = Buffer.from(bytes)
  if (view.length < 3 || view[0] !== tags[name] || view.readUInt16BE(1) !== view.length - 3)
    throw new ScpError(`the component ${name} is damaged`)
}
