import { describe, expect, test } from 'vitest'
import { countProcessor, growth, referenceSeconds } from '../processor-time.fixture.ts'
import { attributeOf, onlyChild, readXml } from './read.ts'
import { element } from './write.ts'

const read = (text: string) => readXml(Buffer.from(text))

describe('A document', () => {
  test('is read with its namespaces, attributes and texts', () => {
    const root = read(
      '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<a:one xmlns:a="urn:a" xmlns="urn:b" a:kind="x&#x21;" kind=\'y\n\'><two>1 &lt; 2 &amp; 3&#10;</two> <a:two/></a:one>\n',
    )
    expect([root.namespace, root.name, attributeOf(root, 'kind'), attributeOf(root, 'kind', 'urn:a')]).toEqual(['urn:a', 'one', 'y ', 'x!'])
    expect(onlyChild(root, 'urn:b', 'two')?.text).toBe('1 < 2 & 3\n')
    expect(onlyChild(root, 'urn:a', 'two')).toMatchObject({ children: [], text: '' })
    expect(onlyChild(root, 'urn:a', 'one')).toBeUndefined()
  })

  test('has its prefixes where they were declared, and no further', () => {
    const root = read('<a xmlns="urn:1"><b xmlns="urn:2"/><c xmlns=""/><d/></a>')
    expect(root.children.map(({ namespace }) => namespace)).toEqual(['urn:2', '', 'urn:1'])
  })

  test('is written so that it is read as it was meant', () => {
    const strange = `<&>"' ]]> \u0007 \ud800 ä \u{1f512}`
    const { xml } = element('a', element('b', strange, { x: strange }))
    const [inside] = read(xml).children
    expect(inside?.text).toBe(`<&>"' ]]>  \ufffd ä \u{1f512}`)
    expect(inside && attributeOf(inside, 'x')).toBe(inside?.text)
    expect(element('n', 5).xml).toBe('<n>5</n>')
  })
})

const lol = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at} "${'&lol;'.repeat(10)}">`).join('')}]><a>&lol8;</a>`

test.each<[string, string]>([
  ['an outer entity', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
  ['a billion laughs', lol],
  ['a document type alone', '<!DOCTYPE a><a/>'],
  ['a document type after the start', '<a><!DOCTYPE a></a>'],
  ['an entity that nobody declared', '<a>&x;</a>'],
  ['an entity without an end', '<a>&lt</a>'],
  ['an entity of a property that each object has', '<a>&constructor;</a>'],
  ['a bare ampersand', '<a>a & b</a>'],
  ['a comment', '<a>ad<!-- -->min</a>'],
  ['a comment before', '<!-- --><a/>'],
  ['CDATA', '<a><![CDATA[<b/>]]></a>'],
  ['a processing instruction', '<a><?php x ?></a>'],
  ['a style sheet', '<?xml-stylesheet href="x"?><a/>'],
  ['another encoding', '<?xml version="1.0" encoding="utf-16"?><a/>'],
  ['another version', '<?xml version="1.1"?><a/>'],
  ['a declaration in the middle', '<a><?xml version="1.0"?></a>'],
  ['text beside elements', '<a>x<b/></a>'],
  ['text before', 'x<a/>'],
  ['text behind', '<a/>x'],
  ['a second document', '<a/><b/>'],
  ['no document', ' \n'],
  ['nothing', ''],
  ['an element without an end', '<a><b></b>'],
  ['ends in the wrong order', '<a><b></a></b>'],
  ['an end alone', '</a>'],
  ['a tag without an end', '<a'],
  ['an end tag without an end', '<a></a'],
  ['an attribute twice', '<a x="1" x="2"/>'],
  ['an attribute twice by two prefixes', '<a xmlns:p="urn:x" xmlns:q="urn:x" p:x="1" q:x="2"/>'],
  ['an attribute without quotes', '<a x=1/>'],
  ['an attribute without a value', '<a x/>'],
  ['attributes without a space', '<a x="1"y="2"/>'],
  ['a tag in an attribute', '<a x="<b/>"/>'],
  ['a prefix that is not declared', '<p:a/>'],
  ['a prefix of an attribute that is not declared', '<a p:x="1"/>'],
  ['a prefix that is declared beside', '<a><b xmlns:p="urn:x"/><p:c/></a>'],
  ['a prefix that is taken away', '<a xmlns:p=""/>'],
  ['the prefix xmlns', '<a xmlns:xmlns="urn:x"/>'],
  ['another meaning of xml', '<a xmlns:xml="urn:x"/>'],
  ['two colons', '<a:b:c xmlns:a="urn:a"/>'],
  ['a name that begins with a number', '<1/>'],
  ['a control character', '<a>\u0000</a>'],
  ['a reference to a control character', '<a>&#0;</a>'],
  ['a reference to half a character', '<a>&#xD800;</a>'],
  ['a reference beyond all characters', '<a>&#x110000;</a>'],
  ['the end of CDATA', '<a>]]></a>'],
])('%s is refused', (_what, text) => {
  expect(() => read(text)).toThrow(/\(character \d+\)$/)
})

test('Bytes that are not UTF-8 are refused', () => {
  expect(() => readXml(Buffer.from('<a>ä</a>', 'latin1'))).toThrow('not UTF-8')
  expect(() => readXml(Buffer.from('\ufeff<a/>', 'utf16le'))).toThrow('not UTF-8')
})

test('What is too long, too deep, too many or too much is refused at once', () => {
  const documents: [(size: number) => string, string][] = [
    [(size) => `<a>${'x'.repeat(20 * size)}</a>`, 'longer than'],
    [(size) => '<a>'.repeat(size / 5), 'deep in each other'],
    [(size) => `<a>${'<b/>'.repeat(size / 5)}</a>`, 'elements'],
    [(size) => `<a ${Array.from({ length: size / 20 }, (_, at) => `a${at}="x"`).join(' ')}/>`, 'attributes'],
    [(size) => `<${'a'.repeat(size)}/>`, 'no name'],
    [(size) => `<a>${'&'.repeat(size)}</a>`, 'entity'],
    [(size) => `<a ${' '.repeat(size)}`, ''],
  ]
  const seconds = countProcessor()
  for (const [document, says] of documents) expect(() => read(document(100_000))).toThrow(says)
  expect(seconds()).toBeLessThan(20 * referenceSeconds())
  for (const [document, says] of documents) {
    const refuse = (size: number) => expect(() => read(document(size))).toThrow(says)
    expect(growth(refuse, 50_000), `twice the document of ${says}`).toBeLessThan(3)
  }
})

test('Any cut of a document is refused or read, and throws nothing else', () => {
  const text = '<?xml version="1.0"?><a:b xmlns:a="urn:a" x="&lt;"><a:c>1&#65;</a:c></a:b>'
  for (let length = 0; length < text.length; length += 1) expect(() => read(text.slice(0, length))).toThrow(/character/)
})
