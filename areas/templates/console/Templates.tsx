// One address for the list, the making of a template (`new`), and each template.

import { useParams } from 'react-router'
import { AddTemplate } from './AddTemplate.tsx'
import { EditTemplate } from './EditTemplate.tsx'
import { newTemplate } from './paths.ts'
import { TemplateList } from './TemplateList.tsx'

export function Templates() {
  const { id } = useParams()
  if (id === undefined) return <TemplateList />
  return id === newTemplate ? <AddTemplate /> : <EditTemplate key={id} id={id} />
}
