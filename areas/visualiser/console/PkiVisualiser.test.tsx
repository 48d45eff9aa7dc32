import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import type { Link } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'
import { mapPicture } from './map-picture.ts'
import { PkiVisualiser } from './PkiVisualiser.tsx'

const root = '018f0000-0000-7000-8000-000000000001'
const issuing = '018f0000-0000-7000-8000-000000000002'
const node = (id: string, label: string, more: Partial<AuthorityNode> = {}): AuthorityNode => ({
  id,
  caId: id,
  label,
  subject: `CN=${label}`,
  kind: 'root',
  status: 'ActiveCert',
  revoked: false,
  issuing: true,
  key: 'P-256',
  notAfter: '2036-01-01T00:00:00.000Z',
  templates: 0,
  certificates: { active: 0, expiring: 0, expired: 0, onHold: 0, revoked: 0 },
  ...more,
})
const nodes = [
  node(root, 'Acme Root'),
  node(issuing, 'Acme <Issuing> & "more"', {
    kind: 'subordinate',
    certificates: { active: 12, expiring: 3, expired: 0, onHold: 0, revoked: 1 },
  }),
]
const links: Link[] = [{ from: root, to: issuing, kind: 'signed' }]
const besides: Link[] = [
  ...links,
  { from: root, to: 'O=Partner', kind: 'cross', until: '2030-05-03T10:00:00.000Z' },
  { from: root, to: issuing, kind: 'successor' },
]
const { caId: _none, status: _unknown, ...external } = node('O=Partner', 'Partner', { kind: 'outside' })

async function open(graph: { nodes: AuthorityNode[]; links: Link[] }, rest = '') {
  await answering({ 'GET /api2/PKI-v1/AuthorityGraph': graph })
  return showScreen(<PkiVisualiser />, { at: `/monitor/pki-visualiser${rest}`, viewer: {} })
}

test('the tree nests those that were signed, and each number leads to its certificates', async () => {
  await open({ nodes, links }, '?view=tree')
  const tree = await screen.findByRole('list', { name: 'Authorities' })
  const inner = within(within(tree).getByRole('list'))
  expect(inner.getByRole('link', { name: '12 active' }).getAttribute('href')).toBe(`/search/certificate?caId=${issuing}&status=active`)
  expect(inner.getByRole('link', { name: 'Acme <Issuing> & "more"' }).getAttribute('href')).toBe(
    `/pki/manage/certificate-authorities/${issuing}`,
  )
  expect(inner.queryByRole('link', { name: '0 expired' })).toBeNull()
  await expectAccessible()
})

test('a search leaves what fits and the way there', async () => {
  const { user, router } = await open(
    { nodes: [...nodes, node('018f0000-0000-7000-8000-000000000003', 'Other Root')], links },
    '?view=tree',
  )
  await user.type(await screen.findByRole('searchbox', { name: 'Search the authorities' }), 'issuing')
  await waitFor(() => expect(screen.queryByText('Other Root')).toBeNull())
  expect(screen.getByText('1 authority')).toBeDefined()
  expect(screen.getByText('Acme Root')).toBeDefined()
  expect(router.state.location.search).toContain('text=issuing')
})

test('without authorities it says what to do first', async () => {
  await open({ nodes: [], links: [] })
  expect((await screen.findByRole('link', { name: 'New authority' })).getAttribute('href')).toBe('/pki/manage/certificate-authorities/new')
  await expectAccessible()
})

test('the picture to take along is well-formed, whatever the names', () => {
  const picture = new DOMParser().parseFromString(mapPicture(nodes, links), 'image/svg+xml')
  expect(picture.querySelector('parsererror')).toBeNull()
  expect([...picture.querySelectorAll('g > text:first-of-type')].map(({ textContent }) => textContent)).toEqual([
    'Acme Root',
    'Acme <Issuing> & "more"',
  ])
  expect(picture.querySelectorAll('path')).toHaveLength(1)
})

test('the tree says in words who vouches for whom besides, and who follows whom', async () => {
  await open({ nodes: [...nodes, external], links: besides }, '?view=tree')
  const tree = await screen.findByRole('list', { name: 'Authorities' })
  for (const says of [
    'Gave Partner a cross-certificate, until 3 May 2030',
    'Has a cross-certificate of Acme Root, until 3 May 2030',
    'Is followed by Acme <Issuing> & "more"',
    'Follows Acme Root',
  ])
    expect(within(tree).getByText(says)).toBeDefined()
  await expectAccessible()
})

test('the map tells its kinds of lines apart, and a legend says which is which', async () => {
  await open({ nodes: [...nodes, external], links: besides })
  const legend = await screen.findByRole('list', { name: 'What the lines mean' })
  expect(
    within(legend)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Signed', 'Cross-certificate', 'Successor'])
  const picture = new DOMParser().parseFromString(mapPicture([...nodes, external], besides), 'image/svg+xml')
  expect([...picture.querySelectorAll(':scope > path[fill=none]')].map((path) => path.getAttribute('stroke-dasharray'))).toEqual([
    null,
    '7 4',
    '2 4',
  ])
  expect([...picture.querySelectorAll(':scope > g:not(:has(rect)) > text')].map(({ textContent }) => textContent)).toEqual([
    'Cross-certificate',
    'Successor',
  ])
})
