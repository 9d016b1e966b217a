/** @file What to create so that an empty chart has something to show. */

/** @param {string} workload the name of a Deployment */
const traffic = (workload) => `apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: shoppers, namespace: default}
spec:
  target: {kind: Deployment, name: ${workload}}
  pattern:
    poisson: {rps: 20}
  request: {cpu: exp(100ms), io: 50ms, timeout: 10s}
`;

/** @param {string} workload */
const autoscaler = (workload) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${workload}, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${workload}}
  minReplicas: 1
  maxReplicas: 10
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
`;

const GROUP = `apiVersion: kubestage.dev/v1alpha1
kind: NodeGroup
metadata: {name: small}
spec:
  minSize: 0
  maxSize: 10
  price: 0.20
  provisionDelay: 90s
  template:
    capacity: {cpu: "4", memory: 16Gi, pods: "110"}
`;

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        resources: {requests: {cpu: "1", memory: 256Mi}}
`;

/**
 * An object that helps an empty chart; empty if none does.
 * @param {string} chart @param {string} workload
 */
export function exampleFor(chart, workload) {
  if (chart === "response-times") return traffic(workload);
  if (chart === "hpa" || chart === "decisions") return autoscaler(workload);
  if (chart === "cost" || chart === "nodes") return GROUP;
  return chart === "replicas" || chart === "pods" ? DEPLOYMENT : "";
}
