// One address for the list, the making of a template (`new`), and each template.

import { useParams } from 'react-router'
import type { AddressParams } from '#core/console/show.ts'
import { AddTemplate } from './AddTemplate.tsx'
import { EditTemplate } from './EditTemplate.tsx'
import { newTemplate } from './paths.ts'
import { TemplateList } from './TemplateList.tsx'

Templates.ask = async (address: URLSearchParams, { id }: AddressParams) => (id === undefined ? TemplateList.ask(address) : undefined)

export function Templates() {
  const { id } = useParams()
  if (id === undefined) return <TemplateList />
  return id === newTemplate ? <AddTemplate /> : <EditTemplate key={id} id={id} />
}
