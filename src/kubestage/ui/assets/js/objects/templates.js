/** @file A small, valid object of each common kind, to begin with. */

const POD = `containers:
- name: web
  image: nginx:1.27
  resources:
    requests: {cpu: 100m, memory: 128Mi}`;

const indented = (/** @type {string} */ text, /** @type {number} */ by) => text.replace(/^(?=.)/gm, " ".repeat(by));

/**
 * A workload with a selector.
 * @param {string} more
 */
const workload = (more) => `${more}  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
${indented(POD, 6)}`;

const job = (/** @type {number} */ by) => indented(`template:
  spec:
    restartPolicy: Never
${indented(POD, 4)}`, by);

/** @type {Record<string, string>} what follows the metadata, by plural */
const REST = {
  pods: `spec:\n${indented(POD, 2)}`,
  deployments: `spec:\n${workload("  replicas: 3\n")}`,
  replicasets: `spec:\n${workload("  replicas: 3\n")}`,
  statefulsets: `spec:\n${workload("  replicas: 3\n  serviceName: web\n")}`,
  daemonsets: `spec:\n${workload("")}`,
  replicationcontrollers: `spec:
  replicas: 3
  selector: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
${indented(POD, 6)}`,
  jobs: `spec:\n  completions: 3\n  parallelism: 3\n${job(2)}`,
  cronjobs: `spec:\n  schedule: "*/10 * * * *"\n  jobTemplate:\n    spec:\n${job(6)}`,
  services: "spec:\n  selector: {app: web}\n  ports:\n  - port: 80",
  configmaps: "data:\n  key: value",
  secrets: "type: Opaque\nstringData:\n  key: value",
  nodes: `status:
  capacity: {cpu: "8", memory: 32Gi, pods: "110"}
  allocatable: {cpu: "8", memory: 32Gi, pods: "110"}
  conditions:
  - {type: Ready, status: "True"}`,
  namespaces: "",
  serviceaccounts: "",
  priorityclasses: "value: 1000\npreemptionPolicy: PreemptLowerPriority\ndescription: more important than others",
  poddisruptionbudgets: "spec:\n  minAvailable: 1\n  selector:\n    matchLabels: {app: web}",
  resourcequotas: 'spec:\n  hard:\n    pods: "20"\n    requests.cpu: "10"',
  limitranges: "spec:\n  limits:\n  - type: Container\n    defaultRequest: {cpu: 100m, memory: 128Mi}",
  persistentvolumeclaims: "spec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests: {storage: 1Gi}",
  persistentvolumes: "spec:\n  capacity: {storage: 1Gi}\n  accessModes: [ReadWriteOnce]\n  hostPath: {path: /data}",
  storageclasses: "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer",
  horizontalpodautoscalers: `spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 10
  metrics:
  - type: Resource
    resource:
      name: cpu
      target: {type: Utilization, averageUtilization: 50}`,
  verticalpodautoscalers: `spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  updatePolicy: {updateMode: Recreate}`,
  traffics: `spec:
  target: {kind: Deployment, name: web}
  pattern:
    sinusoidal: {amplitude: 50, period: 10m}
  request: {cpu: 20ms, io: 50ms, timeout: 5s}`,
  scenarios: `spec:
  events:
  - step: 0
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Node
        metadata: {name: node-1}
        status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}
  - step: 1
    operation: Create
    createOperation:
      object:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: 3
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              containers:
              - name: web
                image: nginx:1.27
                resources: {requests: {cpu: "1", memory: 1Gi}}
  - step: 2
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Node
        metadata: {name: node-2}
        status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}`,
};

/** @type {Record<string, string>} names that are not "web" */
const NAMES = {
  nodes: "node-new", namespaces: "shop", priorityclasses: "important", traffics: "visitors", scenarios: "first",
};

/** The kinds that have one. */
export const KINDS = Object.keys(REST);

/** @param {{group: string, version: string, plural: string, kind: string, isNamespaced: boolean}} resource */
export function template({ group, version, plural, kind, isNamespaced }) {
  const rest = REST[plural];
  const namespace = isNamespaced ? "\n  namespace: default" : "";
  return `apiVersion: ${group ? `${group}/` : ""}${version}
kind: ${kind}
metadata:
  name: ${NAMES[plural] ?? (rest === undefined ? "example" : "web")}${namespace}
${rest === undefined ? "spec: {}" : rest}
`;
}
