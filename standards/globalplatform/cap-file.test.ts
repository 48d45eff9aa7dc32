import { expect, test } from 'vitest'
import { isArchive, loadFileOf } from './cap-file.ts'

const tags = {
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
  Debug: 12,
}
const component = (tag: number, length = 5): Buffer => Buffer.concat([Buffer.from([tag, 0, length]), Buffer.alloc(length, tag)])
const all = (folder = 'com/example/javacard/') =>
  new Map(Object.entries(tags).map(([name, tag]) => [`${folder}${name}.cap`, component(tag)] as const))

test('the components of a CAP file are put in the order in which cards take them, without the debug component', () => {
  const reversed = new Map([...all(), ['META-INF/MANIFEST.MF', Buffer.from('x')] as const].toReversed())
  const file = loadFileOf(reversed)
  const order: number[] = []
  for (let at = 0; at < file.length; at += 8) order.push(file[at] ?? 0)
  expect(order).toEqual([1, 2, 4, 3, 6, 7, 8, 10, 5, 9, 11])
})

test('what a card would refuse half way is refused before', () => {
  const without = all()
  without.delete('com/example/javacard/Method.cap')
  expect(() => loadFileOf(without)).toThrow('Method is missing')
  expect(() => loadFileOf(new Map([...all(), ['com/example/javacard/Class.cap', component(7)]]))).toThrow('Class is damaged')
  expect(() => loadFileOf(new Map([...all(), ['com/example/javacard/Class.cap', component(6).subarray(0, 6)]]))).toThrow('Class is damaged')
  expect(() => loadFileOf(new Map([...all(), ...all('org/other/javacard/')]))).toThrow('more than one package')
  expect(() => loadFileOf(new Map([['readme.txt', Buffer.from('x')]]))).toThrow('no components')
})

test('an archive is told from a load file by its first bytes', () => {
  expect(isArchive(Buffer.from('504b030414', 'hex'))).toBe(true)
  expect(isArchive(Buffer.from('01000fdecaffed', 'hex'))).toBe(false)
  expect(isArchive(new Uint8Array())).toBe(false)
})
