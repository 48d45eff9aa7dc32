import { Group } from '@mantine/core'
import { useNavigate } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { templates } from '../contract.ts'
import { draftFaults, nameFaults } from './draft-faults.ts'
import { listPath } from './paths.ts'
import { wholeTemplate, type TemplateValues } from './template-values.ts'
import { TemplateFields } from './TemplateFields.tsx'

export function EditTemplate({ id }: { id: string }) {
  const query = useCall(templates.calls.get, { templateId: id })
  if (query.data !== undefined) return <Editor key={query.data.version} template={query.data} />
  return (
    <Page title={t('Template')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ template }: { template: OutputOf<typeof templates.calls.get> }) {
  const navigate = useNavigate()
  const issuers = useCall(authorities.calls.list, { size: 200 })
  const { templateId, version, caName, updatedAt, ...values } = template
  return (
    <Page
      title={t('Template {name}', { name: values.displayName === '' ? values.templateName : values.displayName })}

      status={<Status of={values.enabled ? 'active' : 'disabled'} />}
      intro={
        <Group component="span" gap={6}>
          {t('Of {authority}, last changed', { authority: caName })} <DateTime at={updatedAt} />
        </Group>
      }
    >
      <LongForm
        call={templates.calls.edit}
        initial={values}
        toInput={(changed: TemplateValues) => ({ ...wholeTemplate(changed), templateId, version })}
        check={draftFaults}
        ask={(changed) => nameFaults(changed, templateId)}
        submit={t('Save template')}
        cancel={{ label: t('Back to the list'), to: listPath() }}
        invalidates={['certificates']}
        onDone={() => navigate(listPath())}
      >
        {(form) => <TemplateFields form={form} issuers={withOwn(issuers.data?.rows ?? [], { id: values.caId, friendlyName: caName })} />}
      </LongForm>
    </Page>
  )
}

/** The template's own authority may stand beyond the first of the list. */
const withOwn = (first: readonly Named[], own: Named): readonly Named[] => (first.some(({ id }) => id === own.id) ? first : [own, ...first])
type Named = { id: string; friendlyName: string }
