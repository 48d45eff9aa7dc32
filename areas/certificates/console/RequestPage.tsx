// Asking for a certificate: the template, the key (one's own by CSR, or made by the server), the names, and beside it what would come out of it.

import { Grid, Stack } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { templates } from '#areas/templates/contract.ts'
import type { Entity } from '#areas/templates/rules.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { certificates } from '../contract.ts'
import classes from './certificates.module.css'
import { DeviceSuggestion } from './DeviceSuggestion.tsx'
import { takeMoved } from './moved-request.ts'
import { hostsOf, newRequest, requestDraft, requestFaults, type RequestValues } from './request-values.ts'
import { RequestCheck } from './RequestCheck.tsx'
import { RequestFields } from './RequestFields.tsx'
import { RequestOutcome } from './RequestOutcome.tsx'

export type RequestPageProps = {
  intro: string
  entity: Entity
  call: 'request' | 'requestForUser' | 'requestForDevice'
}

/** What is in the CSR that the field had then. */
type Decoded = { csr: string; values: Record<string, string[]> }
const nothingDecoded: Decoded = { csr: '', values: {} }

export function RequestPage({ intro, entity, call }: RequestPageProps) {
  const offered = useCall(templates.calls.offered, { entity })
  const [search] = useSearchParams()
  const again = search.get('again') ?? ''
  const before = useCall(certificates.calls.statusByRequest, { rid: again }, { enabled: again !== '' })
  const [moved] = useState(takeMoved)
  const [decoded, setDecoded] = useState<Decoded>(nothingDecoded)
  // Stays as it began: a fold that went away under the pointer would take its fields along.
  const plain = call === 'request' && entity === 'user' && again === '' && moved.keyFrom === undefined
  const [placed, setPlaced] = useState<OutputOf<typeof certificates.calls.request>>()
  if (placed !== undefined) return <RequestOutcome placed={placed} entity={entity} again={() => setPlaced(undefined)} />
  return (
    <Page title={t('Request a certificate')} intro={intro}>
      <Loaded query={offered}>
        {({ templates: rows }) =>
          again !== '' && before.data === undefined ? (
            <Loaded query={before}>{() => null}</Loaded>
          ) : rows.length === 0 ? (
            <EmptyState
              title={t('No template is offered to you')}
              text={t('Ask an administrator to make a template for this, or to open one for self-service.')}
            />
          ) : (
            <Form
              call={certificates.calls[call]}
              initial={{
                ...newRequest(entity, rows.find(({ templateId }) => templateId === search.get('template')) ?? rows[0]),
                ...valuesOf(before.data, rows),
                ...moved,
              }}
              toInput={(values: RequestValues) => (call === 'request' ? { entity, ...requestDraft(values) } : requestDraft(values))}
              submit={t('Request certificate')}
              check={requestFaults}
              invalidates={['approvals']}
              onDone={(answer) => setPlaced(answer)}
            >
              {(form) => (
                <Grid gap="lg">
                  <Grid.Col span={{ base: 12, lg: 7 }}>
                    <Stack gap="md">
                      {entity === 'user' && form.values.csr === decoded.csr && (
                        <DeviceSuggestion hosts={hostsOf(decoded.values)} values={form.values} />
                      )}
                      <RequestFields
                        form={form}
                        forOthers={call === 'requestForUser'}
                        entity={entity}
                        offered={rows}
                        decoded={form.values.csr === decoded.csr ? decoded.values : nothingDecoded.values}
                        plain={plain}
                      />
                    </Stack>
                  </Grid.Col>
                  <Grid.Col span={{ base: 12, lg: 5 }}>
                    <div className={classes['sheet']}>
                      <RequestCheck
                        draft={{ entity, ...requestDraft(form.values) }}
                        template={rows.find(({ templateId }) => templateId === form.values.templateId)}
                        plain={plain && form.values.keyFrom === 'server'}
                        onDecoded={(values, csr) => {
                          setDecoded({ csr, values })
                          form.clearErrors('csr')
                          form.clearErrors('values')
                          fillIn(form, rows, values)
                        }}
                      />
                    </div>
                  </Grid.Col>
                </Grid>
              )}
            </Form>
          )
        }
      </Loaded>
    </Page>
  )
}

/** What was asked for before. The names come from its CSR. */
function valuesOf(before: OutputOf<typeof certificates.calls.statusByRequest> | undefined, offered: Offered): Partial<RequestValues> {
  if (before === undefined) return {}
  const { template_id: templateId, csr, friendly_name: friendlyName, contact_email: contactEmail } = before
  return {
    ...(offered.some((one) => one.templateId === templateId) ? { templateId } : {}),
    keyFrom: csr === '' ? 'server' : 'csr',
    csr,
    friendlyName,
    contactEmail,
  }
}

type Offered = OutputOf<typeof templates.calls.offered>['templates']

/** A template that ignores the details of CSRs has its names typed: what the CSR says is a good beginning. Nothing typed is overwritten. */
function fillIn(
  form: { values: RequestValues; set(path: 'values', value: Record<string, string[]>): void },
  offered: Offered,
  decoded: Record<string, string[]>,
): void {
  const template = offered.find(({ templateId }) => templateId === form.values.templateId)
  if (template?.ignoreCsrDetails !== true) return
  const missing = template.asks.filter(
    ({ source, from }) => from === 'typed' && (form.values.values[source] ?? []).length === 0 && (decoded[source] ?? []).length > 0,
  )
  if (missing.length > 0)
    form.set('values', { ...form.values.values, ...Object.fromEntries(missing.map(({ source }) => [source, decoded[source] ?? []])) })
}
