import { expect, test } from 'vitest'
import { dialogueOf, mostHeard } from './start-tls.ts'

const offers = dialogueOf('xmpp', { name: 'chat.example.org', port: 5222 }).steps[0]

test('A server of XMPP is asked to encrypt where its features hold it, however they are prefixed', () => {
  expect(offers?.(Buffer.from("<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"))).toBe('wait')
  expect(offers?.(Buffer.from('<stream:features><starttls/></stream:features>'))).toMatchObject({ say: expect.any(Buffer) as Buffer })
  expect(offers?.(Buffer.from('<features><starttls/></features>'))).toMatchObject({ say: expect.any(Buffer) as Buffer })
  expect(offers?.(Buffer.from('<stream:features></stream:features>'))).toBe('refused')
})

test('What begins again and again is read once for each piece that comes, so that it keeps nobody waiting', () => {
  const repeated = Buffer.from('<starttls'.repeat(mostHeard / 9))
  for (let length = 1; length <= repeated.length; length += 16) expect(offers?.(repeated.subarray(0, length))).toBe('wait')
})
