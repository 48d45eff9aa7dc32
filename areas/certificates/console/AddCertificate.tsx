// Anybody's own way to a certificate. A link in a mail leads here with the request it is about.

import { Navigate, useParams, useSearchParams } from 'react-router'
import { NotFound } from '#core/console/screens/NotFound.tsx'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { Entity } from '../shapes.ts'
import { MyRequest } from './MyRequest.tsx'
import { OwnDevice, OwnRequest } from './request-pages.tsx'

export function AddCertificate() {
  const { entity = '' } = useParams()
  const [search] = useSearchParams()
  if (!Entity.safeParse(entity).success) return <NotFound />
  const request = search.get('request')
  if (request !== null) return <MyRequest requestId={request} />
  // Where the list stood once.
  if (search.get('show') === 'mine') return <Navigate replace to={to(certificates.screens.mine)} />
  return entity === 'device' ? <OwnDevice key="device" /> : <OwnRequest key="user" />
}
