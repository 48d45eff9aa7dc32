import { Alert, Stack } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { applications } from '#areas/applications/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { SelectField, TagsField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { kubernetes } from '../contract.ts'

export function Clusters() {
  const list = useList(kubernetes.calls.search, { key: 'kubernetes.all' })
  const { data } = useCall(kubernetes.calls.search, { size: 1 })
  const removal = useSend(kubernetes.calls.remove)
  const remove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t('Its service accounts are refused from now on.'),
      action: t('Remove cluster'),
      keep: t('Keep cluster'),
      danger: true,
    })
    if (sure) await removal.run({ id }).catch(() => {})
  }
  return (
    <Page title={t('Kubernetes')} intro={t('Service accounts of a cluster come as an application, without a secret.')}>
      <Stack gap="md">
        <FaultAlert fault={removal.fault} />
        <DataTable
          list={list}
          label={t('Clusters')}
          search={false}
          views={false}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
          columns={[
            { key: 'name', label: t('Name'), cell: (row) => row.name },
            { key: 'issuer', label: t('Issuer'), cell: (row) => row.issuer },
            { key: 'subjects', label: t('Service accounts'), cell: (row) => row.subjects.join(', ') },
            { key: 'application', label: t('Application'), cell: (row) => row.application.name },
          ]}
          rowActions={(row) => [
            { label: t('Remove cluster'), icon: IconTrash, danger: true, onClick: () => void remove(row.id, row.name) },
          ]}
          empty={{ title: t('No clusters yet'), text: t('Add one with the public keys that it gives at /openid/v1/jwks.') }}
        />
        {data !== undefined && (
          <Section title={t('Audience')} intro={t('The tokens of service accounts need this audience.')}>
            <Facts items={[{ label: t('Audience'), value: <Mono value={data.audience} grouped={false} />, copy: data.audience }]} />
          </Section>
        )}
        <AddCluster />
        <TryToken />
      </Stack>
    </Page>
  )
}

function AddCluster() {
  const may = useMay()
  const [round, setRound] = useState(0)
  const offered = useCall(applications.calls.search, { size: 200 }, { enabled: may('applications') })
  return (
    <Section title={t('Add a cluster')}>
      <Form
        key={round}
        call={kubernetes.calls.add}
        initial={{ name: '', issuer: '', keySet: '', subjects: [], applicationId: '' }}
        submit={t('Add cluster')}
        onDone={() => setRound(round + 1)}
      >
        {(form) => (
          <>
            <TextField {...form.field('name')} label={t('Name')} required />
            <TextField
              {...form.field('issuer')}
              label={t('Issuer')}
              hint={t('Such as https://kubernetes.default.svc.cluster.local')}
              required
            />
            <TextAreaField
              {...form.field('keySet')}
              label={t('Public keys')}
              hint={t('What kubectl get --raw /openid/v1/jwks gives')}
              required
            />
            <TagsField
              {...form.field('subjects')}
              label={t('Service accounts')}
              hint={t('Such as system:serviceaccount:pki:issuer')}
              required
            />
            <SelectField
              {...form.field('applicationId')}
              label={t('Application')}
              hint={t('Its scopes are what the service accounts may do')}
              options={(offered.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(value) => form.set('applicationId', value ?? '')}
              required
            />
          </>
        )}
      </Form>
    </Section>
  )
}

function TryToken() {
  const [tried, setTried] = useState<OutputOf<typeof kubernetes.calls.try>>()
  return (
    <Section title={t('Try a token')} intro={t('Says whether a request with it would be let in, and why not. The token is not kept.')}>
      <Form call={kubernetes.calls.try} initial={{ token: '' }} submit={t('Try token')} guard={false} onDone={setTried}>
        {(form) => <TextAreaField {...form.field('token')} label={t('Token')} required />}
      </Form>
      {tried !== undefined && (
        <Alert
          role="status"
          color={tried.accepted ? 'green' : 'yellow'}
          title={tried.accepted ? t('Let in as {application}', { application: tried.application }) : tried.reason}
        >
          <Facts
            items={[
              { label: t('Issuer'), value: tried.issuer },
              { label: t('Service account'), value: tried.subject },
              { label: t('Audience'), value: tried.audience.join(', ') },
            ]}
          />
        </Alert>
      )}
    </Section>
  )
}
