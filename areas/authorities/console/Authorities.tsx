// One address for the list, the making of an authority (`new`), and each authority.

import { useParams } from 'react-router'
import type { AddressParams } from '#core/console/show.ts'
import { AuthorityList } from './AuthorityList.tsx'
import { AuthorityPage } from './AuthorityPage.tsx'
import { CreateAuthority } from './CreateAuthority.tsx'
import { newAuthority } from './paths.ts'

Authorities.ask = async (address: URLSearchParams, { id }: AddressParams) => (id === undefined ? AuthorityList.ask(address) : undefined)

export function Authorities() {
  const { id } = useParams()
  if (id === undefined) return <AuthorityList />
  return id === newAuthority ? <CreateAuthority /> : <AuthorityPage key={id} id={id} />
}
