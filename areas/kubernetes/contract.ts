import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'

const body = z.object({ clusterId: Id, name: z.string(), applicationId: Id })

export const kubernetes = contract({
  area: 'kubernetes',
  title: 'Kubernetes',
  screens: {
    config: {
      path: '/config/kubernetes-config',
      needs: 'configureK8s',
      title: 'Kubernetes',
      also: 'clusters, service accounts, JWKS, k8s',
      menu: { group: 'settings', entry: 'kubernetes' },
    },
  },
  calls: {
    search: {
      does: 'Lists the clusters whose service accounts come as applications, with the audience that their tokens need.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchKubernetesClusters',
      needs: 'configureK8s',
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          name: z.string(),
          issuer: z.string(),
          subjects: z.array(z.string()),
          application: z.object({ id: Id, name: z.string() }),
          keys: z.number().int(),
          addedAt: Instant,
        }),
      ).extend({ audience: z.string() }),
    },
    add: {
      does: 'Lets service accounts of a cluster come as an application, by the public keys of the cluster; answers the id.',
      title: 'Add a Kubernetes cluster',
      method: 'POST',
      path: '/api2/IDM-v1/KubernetesCluster',
      needs: 'configureK8s',
      tokens: 'never',
      input: z.object({
        name: Line(80),
        issuer: Line(500),
        /** As `/openid/v1/jwks` of the cluster gives them. */
        keySet: z.string().max(100_000),
        subjects: z.array(Line(300)).min(1, 'Name at least one service account').max(100),
        applicationId: Id,
      }),
      output: z.object({ id: Id }),
      done: 'The cluster was added',
      failed: 'The cluster was not added',
      faults: {
        noKeys: { status: 400, says: 'This is no set of public keys', field: 'keySet' },
        unknownApplication: { status: 400, says: 'There is no such application', field: 'applicationId' },
        beyond: { status: 403, says: 'The application can do more than you', field: 'applicationId' },
        issuerTaken: {
          status: 409,
          says: 'A cluster with this issuer is there already',
          field: 'issuer',
          constraint: 'kubernetes_clusters_by_issuer',
        },
      },
    },
    remove: {
      does: 'Ends that service accounts of a cluster come as an application; answers nothing.',
      title: 'Remove a Kubernetes cluster',
      method: 'DELETE',
      path: '/api2/IDM-v1/KubernetesCluster',
      needs: 'configureK8s',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The cluster was removed',
      failed: 'The cluster was not removed',
    },
    try: {
      does: 'Judges the token of a service account as a request with it would be judged, and says in words why it is refused.',
      title: 'Try a Kubernetes token',
      method: 'POST',
      path: '/api2/IDM-v1/TryKubernetesToken',
      needs: 'configureK8s',
      watched: true,
      tokens: 'never',
      input: z.object({ token: z.string().trim().min(1, 'Enter a token').max(20_000) }),
      output: z.object({
        accepted: z.boolean(),
        reason: z.string(),
        issuer: z.string(),
        subject: z.string(),
        audience: z.array(z.string()),
        ends: Instant.optional(),
        application: z.string(),
      }),
      failed: 'The token was not tried',
    },
  },
  events: {
    added: { says: 'Added a Kubernetes cluster', body },
    removed: { says: 'Removed a Kubernetes cluster', body },
  },
})
